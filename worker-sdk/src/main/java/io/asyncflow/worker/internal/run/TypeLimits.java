package io.asyncflow.worker.internal.run;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import java.time.Duration;

/**
 * The parts of a type's configuration that a worker uses.
 *
 * @param scheduleLimit the maximum number of tasks of one hold
 * @param longPoll the maximum time for which an empty hold parks
 * @param maxProcessingTime hard end of an attempt, from the hold
 * @param lease length of a full lease
 */
public record TypeLimits(
    int scheduleLimit, Duration longPoll, Duration maxProcessingTime, Duration lease) {

  /** The maximum number of tasks of one hold by the contract. */
  private static final int MOST_TASKS = 1000;

  /** The longest park by the contract. */
  private static final Duration LONGEST_POLL = Duration.ofSeconds(30);

  public static TypeLimits of(TaskTypeSettings settings) {
    Duration interval = seconds(settings.scheduleInterval(), TypeSetting.SCHEDULE_INTERVAL);
    Duration maxProcessingTime =
        seconds(settings.maxProcessingTime(), TypeSetting.MAX_PROCESSING_TIME);
    Duration lease = seconds(settings.leaseSeconds(), TypeSetting.LEASE_SECONDS);
    return new TypeLimits(
        Math.min(positive(settings.scheduleLimit(), TypeSetting.SCHEDULE_LIMIT), MOST_TASKS),
        shorter(interval, LONGEST_POLL),
        maxProcessingTime,
        shorter(lease, maxProcessingTime));
  }

  private static Duration seconds(Integer value, TypeSetting setting) {
    return Duration.ofSeconds(positive(value, setting));
  }

  private static int positive(Integer value, TypeSetting setting) {
    return setting.orUsual(value == null || value <= 0 ? null : value);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
