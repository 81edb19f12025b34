package io.asyncflow.flowsvr.duty;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A periodic duty of a server. Each feature contributes its duties as beans.
 *
 * @param name the name in the log, in the table of runs and in the status
 * @param interval the pause between two runs, with jitter
 * @param leaderOnly whether only the leader runs it; its writes must be safe even if two servers
 *     run it
 * @param runOnce runs one bounded round; its result, a number or a {@link DutyResult}, is shown as
 *     JSON
 */
public record Duty(String name, Duration interval, boolean leaderOnly, Supplier<?> runOnce) {

  /** A duty of the leader alone. */
  public static Duty ofLeader(String name, Duration interval, Supplier<?> runOnce) {
    return new Duty(name, interval, true, runOnce);
  }

  /** A duty of each server. */
  public static Duty ofEach(String name, Duration interval, Supplier<?> runOnce) {
    return new Duty(name, interval, false, runOnce);
  }
}
