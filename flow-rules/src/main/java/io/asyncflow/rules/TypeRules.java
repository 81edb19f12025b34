package io.asyncflow.rules;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import java.time.Duration;
import java.util.Objects;

/** The settings of a type that the rules about a task depend on. */
public interface TypeRules {

  /** The longest lease of a holder that sends no heartbeats. */
  Duration LONGEST_UNHEARD = Duration.ofDays(30);

  /** How long a lease lasts without a heartbeat; at least a second. */
  Duration lease();

  /** From a hold to its hard end, beyond which no lease lasts; at least a second. */
  Duration maxProcessingTime();

  /** The most retries of one stage; 0 for none. */
  int maxRetryNum();

  /** See {@link RetryPolicy#interval}. */
  int retryInterval();

  /** Cap of the doubling retry delay in seconds; {@code null} for none. */
  Integer maxRetryInterval();

  /**
   * The most retries of one stage after unexpected failures; {@code null} if these count as any
   * other failure.
   */
  Integer maxUnexpectedRetries();

  /** Holds in a row that may end without a report before the task counts as poison. */
  int maxDelivery();

  /**
   * Whether attempts may last longer than {@link #LONGEST_UNHEARD}. Only workers that send
   * heartbeats hold tasks of such a type: the lease of any other holder would last as long.
   */
  default boolean isResident() {
    return maxProcessingTime().compareTo(LONGEST_UNHEARD) > 0;
  }

  /**
   * The retry policy of a task of the type.
   *
   * @param ownMaxRetryNum the task's own value; {@code null} for the type's
   * @param ownMaxRetryInterval the task's own value in seconds; {@code null} for the type's
   */
  default RetryPolicy retryPolicy(Integer ownMaxRetryNum, Integer ownMaxRetryInterval) {
    return new RetryPolicy(
        Objects.requireNonNullElseGet(ownMaxRetryNum, this::maxRetryNum),
        retryInterval(),
        maxRetryInterval(),
        ownMaxRetryInterval);
  }

  /**
   * The rules of these settings. A setting that is {@code null} has the default of the contract.
   */
  static TypeRules of(TaskTypeSettings settings) {
    record Settings(
        Duration lease,
        Duration maxProcessingTime,
        int maxRetryNum,
        int retryInterval,
        Integer maxRetryInterval,
        Integer maxUnexpectedRetries,
        int maxDelivery)
        implements TypeRules {}
    return new Settings(
        Duration.ofSeconds(TypeSetting.LEASE_SECONDS.orUsual(settings.leaseSeconds())),
        Duration.ofSeconds(TypeSetting.MAX_PROCESSING_TIME.orUsual(settings.maxProcessingTime())),
        TypeSetting.MAX_RETRY_NUM.orUsual(settings.maxRetryNum()),
        TypeSetting.RETRY_INTERVAL.orUsual(settings.retryInterval()),
        settings.maxRetryInterval(),
        settings.maxUnexpectedRetries(),
        TypeSetting.MAX_DELIVERY.orUsual(settings.maxDelivery()));
  }
}
