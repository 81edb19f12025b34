package io.asyncflow.systemtest.chaos;

import io.asyncflow.systemtest.scenario.TypePlan;
import java.time.Duration;

/**
 * How much of a type may wait in a chaos run, and so how long it takes to drain.
 *
 * @param most tasks that are not final; no more are created
 * @param secondsATask from the end of one to that of the next, at the slowest
 */
record Backlog(int most, double secondsATask) {

  /** Of the type with short times. */
  static final Backlog SHORT = new Backlog(1_000, 1 / 20.0);

  /** Of the type with the default times: 10 s each, on the eight threads of its worker. */
  static final Backlog LEISURELY = new Backlog(16, 10 / 8.0);

  /** Whether so many more may be created while so many wait. */
  boolean hasRoomFor(int more, int waiting) {
    return waiting + more <= most;
  }

  /** What a healed cluster may still take: the bound of one task, and the backlog. */
  Duration drainWithin(TypePlan type) {
    return type.drainBound().plusMillis((long) (1e3 * most * secondsATask));
  }
}
