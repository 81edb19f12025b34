package io.asyncflow.rules;

import io.asyncflow.api.TaskTypeSettings;
import java.time.Duration;
import java.util.Objects;

/** What the decisions about a task need to know of its type. */
public interface TypeRules {

  /** How long a lease lasts that is not renewed; at least a second. */
  Duration lease();

  /** From a hold to its hard end, which no lease outlasts; at least a second. */
  Duration maxProcessingTime();

  /** Retries of one stage; 0 for none. */
  int maxRetryNum();

  /** As {@link RetryPolicy#interval}. */
  int retryInterval();

  /** Seconds; {@code null} for none. */
  Integer maxRetryInterval();

  /** Holds in a row that may end without a report before the task is quarantined. */
  int maxDelivery();

  /**
   * How often and after which delays a task of the type is tried again, if it says nothing else.
   */
  default RetryPolicy retryPolicy(Integer ownMaxRetryNum, Integer ownMaxRetryInterval) {
    return new RetryPolicy(
        Objects.requireNonNullElseGet(ownMaxRetryNum, this::maxRetryNum),
        retryInterval(),
        maxRetryInterval(),
        ownMaxRetryInterval);
  }

  /** The rules that these settings give, with the contract's default for each that is absent. */
  static TypeRules of(TaskTypeSettings settings) {
    record Given(
        Duration lease,
        Duration maxProcessingTime,
        int maxRetryNum,
        int retryInterval,
        Integer maxRetryInterval,
        int maxDelivery)
        implements TypeRules {}
    return new Given(
        Duration.ofSeconds(Objects.requireNonNullElse(settings.leaseSeconds(), 30)),
        Duration.ofSeconds(Objects.requireNonNullElse(settings.maxProcessingTime(), 30)),
        Objects.requireNonNullElse(settings.maxRetryNum(), 3),
        Objects.requireNonNullElse(settings.retryInterval(), 10),
        settings.maxRetryInterval(),
        Objects.requireNonNullElse(settings.maxDelivery(), 10));
  }
}
