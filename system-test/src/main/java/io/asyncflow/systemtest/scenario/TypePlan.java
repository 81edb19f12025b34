package io.asyncflow.systemtest.scenario;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.invariant.Rules;
import java.time.Duration;

/**
 * The configuration of a test's task type, with the short times that tests want.
 *
 * @param lease length of a lease
 * @param maxProcessingTime hard end of an attempt
 * @param longPoll how long an empty hold is parked
 * @param maxRetries retries of a stage
 * @param retryInterval delay of each retry
 * @param maxDelivery holds without a report before a task is poison
 * @param rollThreshold rows after which its table is followed by the next
 */
public record TypePlan(
    Duration lease,
    Duration maxProcessingTime,
    Duration longPoll,
    int maxRetries,
    Duration retryInterval,
    int maxDelivery,
    int rollThreshold) {

  private static final int TASKS_A_HOLD = 100;
  private static final int NEVER_ROLLS = 5_000_000;
  private static final Duration DEFAULT = Duration.ofSeconds(30);
  private static final int SHORT_LEASE_SECONDS = 5;

  /** Leases of 3 s, attempts of 20 s, holds parked for 5 s, three retries after 1 s each. */
  public static TypePlan quick() {
    return new TypePlan(
        Duration.ofSeconds(3),
        Duration.ofSeconds(20),
        Duration.ofSeconds(5),
        3,
        Duration.ofSeconds(1),
        10,
        NEVER_ROLLS);
  }

  /** As {@link #quick}, but with the leases and attempts of a server's defaults: 30 s each. */
  public static TypePlan ofDefaults() {
    return quick().withLease(DEFAULT).withMaxProcessingTime(DEFAULT);
  }

  public TypePlan withLease(Duration value) {
    return new TypePlan(
        value, maxProcessingTime, longPoll, maxRetries, retryInterval, maxDelivery, rollThreshold);
  }

  public TypePlan withMaxProcessingTime(Duration value) {
    return new TypePlan(
        lease, value, longPoll, maxRetries, retryInterval, maxDelivery, rollThreshold);
  }

  public TypePlan withLongPoll(Duration value) {
    return new TypePlan(
        lease, maxProcessingTime, value, maxRetries, retryInterval, maxDelivery, rollThreshold);
  }

  public TypePlan withMaxDelivery(int value) {
    return new TypePlan(
        lease, maxProcessingTime, longPoll, maxRetries, retryInterval, value, rollThreshold);
  }

  public TypePlan withRollThreshold(int value) {
    return new TypePlan(
        lease, maxProcessingTime, longPoll, maxRetries, retryInterval, maxDelivery, value);
  }

  TaskTypeSettings settings(String taskType) {
    int everyTime = -(int) retryInterval.toSeconds();
    return TaskTypeSettings.named(taskType)
        .withScheduleLimit(TASKS_A_HOLD)
        .withScheduleInterval((int) longPoll.toSeconds())
        .withMaxProcessingTime((int) maxProcessingTime.toSeconds())
        .withMaxRetryNum(maxRetries)
        .withRetryInterval(everyTime)
        .withLeaseSeconds((int) lease.toSeconds())
        .withMaxDelivery(maxDelivery)
        .withRollThreshold((long) rollThreshold)
        .withMaxExecuting(0)
        .withRateLimit(0)
        .withPaused(0);
  }

  /**
   * Other settings, with which all goes on as well, though slower: small holds, short leases,
   * limits.
   */
  TaskTypeSettings otherSettings(String taskType) {
    int most = 20;
    return TaskTypeSettings.named(taskType)
        .withScheduleLimit(3)
        .withScheduleInterval(1)
        .withLeaseSeconds(Math.min(SHORT_LEASE_SECONDS, (int) lease.toSeconds()))
        .withMaxExecuting(most)
        .withRateLimit(5 * most);
  }

  Rules rules(Duration drainWithin) {
    return new Rules(maxRetries, retryInterval.negated(), null, maxProcessingTime, drainWithin);
  }

  /** The longest that a healed task may take: what is left of a lease, and all its retries. */
  public Duration drainBound() {
    return lease.plus(retryInterval.multipliedBy(maxRetries)).plusSeconds(30);
  }
}
