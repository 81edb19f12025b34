package io.asyncflow.worker.internal.run;

import io.asyncflow.api.TaskTypeSettings;
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

  private static final int DEFAULT_LIMIT = 100;
  private static final int DEFAULT_INTERVAL = 10;
  private static final int DEFAULT_MAX_PROCESSING_TIME = 30;
  private static final int DEFAULT_LEASE = 30;

  /** The maximum number of tasks of one hold by the contract. */
  private static final int MOST_TASKS = 1000;

  /** The longest park by the contract. */
  private static final Duration LONGEST_POLL = Duration.ofSeconds(30);

  public static TypeLimits of(TaskTypeSettings settings) {
    Duration interval = seconds(settings.scheduleInterval(), DEFAULT_INTERVAL);
    Duration maxProcessingTime = seconds(settings.maxProcessingTime(), DEFAULT_MAX_PROCESSING_TIME);
    Duration lease = seconds(settings.leaseSeconds(), DEFAULT_LEASE);
    return new TypeLimits(
        Math.min(positive(settings.scheduleLimit(), DEFAULT_LIMIT), MOST_TASKS),
        shorter(interval, LONGEST_POLL),
        maxProcessingTime,
        shorter(lease, maxProcessingTime));
  }

  private static Duration seconds(Integer value, int otherwise) {
    return Duration.ofSeconds(positive(value, otherwise));
  }

  private static int positive(Integer value, int otherwise) {
    return value == null || value <= 0 ? otherwise : value;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
