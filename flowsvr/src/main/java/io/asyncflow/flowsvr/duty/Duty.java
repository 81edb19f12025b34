package io.asyncflow.flowsvr.duty;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * What a server does again and again. A bean of a feature; whatever runs duties knows none of them.
 *
 * @param name in the log, in the table of runs, and in the status
 * @param interval between two runs, give or take a little
 * @param leaderOnly whether one server is enough; every write is harmless under two all the same
 * @param runOnce one bounded round without a clock of its own; what it returns, a number or a
 *     {@link DutyResult}, is shown as JSON
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
