package io.asyncflow.flowsvr.base.duty;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A periodic duty of a server. Each feature contributes its duties as beans.
 *
 * @param name the name in the log, in the table of runs and in the status
 * @param interval the pause after a run that had an effect or failed, with jitter
 * @param rest the pause after a run without effect, with jitter; what is not used then costs little
 * @param leaderOnly whether only the leader runs it; its writes must be safe even if two servers
 *     run it
 * @param feature without which there is nothing to do, so that no run is made; {@code null} if
 *     there always may be
 * @param runOnce runs one bounded round; its result, a number or a {@link DutyResult}, is shown as
 *     JSON
 */
public record Duty(
    String name,
    Duration interval,
    Duration rest,
    boolean leaderOnly,
    Feature feature,
    Supplier<?> runOnce) {

  /** A duty of the leader alone. */
  public static Duty ofLeader(String name, Duration interval, Supplier<?> runOnce) {
    return new Duty(name, interval, interval, true, null, runOnce);
  }

  /** A duty of each server. */
  public static Duty ofEach(String name, Duration interval, Supplier<?> runOnce) {
    return new Duty(name, interval, interval, false, null, runOnce);
  }

  /** A duty of the leader alone, which deletes what is obsolete. */
  public static Duty ofCleaning(String name, DutyIntervals every, Supplier<?> runOnce) {
    return ofLeader(name, every.cleaning(), runOnce).resting(every.cleaning().multipliedBy(5));
  }

  /** The same duty with a longer pause after a run without effect. */
  public Duty resting(Duration rest) {
    return new Duty(name, interval, rest, leaderOnly, feature, runOnce);
  }

  /** The same duty, which runs only while a feature is {@linkplain FeaturesInUse in use}. */
  public Duty onlyWith(Feature feature) {
    return new Duty(name, interval, rest, leaderOnly, feature, runOnce);
  }
}
