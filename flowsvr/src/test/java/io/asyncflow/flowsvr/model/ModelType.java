package io.asyncflow.flowsvr.model;

import io.asyncflow.api.TaskTypeSettings;

/** A task type as the contract describes it. */
final class ModelType {

  int scheduleLimit = 100;
  int maxProcessingTime = 30;
  int maxRetryNum = 3;
  int retryInterval = 10;
  Integer maxRetryInterval;
  Integer maxUnexpectedRetries;
  int leaseSeconds = 30;
  int maxDelivery = 10;
  boolean paused;

  /** Absent fields stay as they are. */
  void save(TaskTypeSettings settings) {
    scheduleLimit = given(settings.scheduleLimit(), scheduleLimit);
    maxProcessingTime = given(settings.maxProcessingTime(), maxProcessingTime);
    maxRetryNum = given(settings.maxRetryNum(), maxRetryNum);
    retryInterval = given(settings.retryInterval(), retryInterval);
    maxRetryInterval = given(settings.maxRetryInterval(), maxRetryInterval);
    maxUnexpectedRetries = given(settings.maxUnexpectedRetries(), maxUnexpectedRetries);
    leaseSeconds = given(settings.leaseSeconds(), leaseSeconds);
    maxDelivery = given(settings.maxDelivery(), maxDelivery);
    paused = given(settings.paused(), paused ? 1 : 0) == 1;
  }

  private static Integer given(Integer value, Integer otherwise) {
    return value != null ? value : otherwise;
  }

  long leaseMs() {
    return leaseSeconds * 1000L;
  }

  long maxProcessingMs() {
    return maxProcessingTime * 1000L;
  }

  /** The cap of the retry delay, which is also what a task shows as its maxRetryInterval. */
  int retryCap(Integer ownCap) {
    if (ownCap != null) {
      return ownCap;
    }
    return maxRetryInterval != null ? maxRetryInterval : Math.abs(retryInterval);
  }

  /**
   * How long after its {@code failures}-th failure a stage runs again.
   *
   * @param ownCap the task's own maxRetryInterval; {@code null} if it brought none
   */
  long retryDelayMs(int failures, Integer ownCap) {
    if (retryInterval <= 0) {
      return -retryInterval * 1000L;
    }
    long seconds = maxRetryInterval != null ? retryInterval : 1;
    long cap = retryCap(ownCap);
    for (int failure = 1; failure < failures && seconds < cap; failure++) {
      seconds *= 2;
    }
    return Math.min(seconds, cap) * 1000;
  }
}
