package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The configuration of a task type, in snake_case on the wire. Times are in seconds unless stated
 * otherwise. In a save, {@code null} keeps the value of an existing type and gives a new type the
 * default.
 *
 * @param taskType the type, as it was spelled in the save
 * @param scheduleLimit the most tasks of a hold that names no limit, default 100
 * @param scheduleInterval length of a long poll, or the pause between polls, default 10
 * @param maxProcessingTime the longest attempt, counted from the hold, default 30
 * @param maxRetryNum retries of a stage, default 3
 * @param retryInterval the retry delay, see docs/api.md, default 10
 * @param maxRetryInterval cap of the doubling retry delay; {@code null} for none
 * @param maxUnexpectedRetries retries of a stage after failures that its handler did not report;
 *     {@code null}: these count as retries of {@code maxRetryNum}
 * @param leaseSeconds length of a lease, default 30
 * @param maxDelivery holds in a row that may end without a report before the task counts as poison,
 *     default 10
 * @param rollThreshold rows of a table at which the next one is created, default 5,000,000
 * @param retentionDays days before a drained table is dropped; 0 for never
 * @param maxExecuting the most tasks of the type that execute at the same time; 0 for no limit
 * @param rateLimit the most tasks held per second; 0 for no limit
 * @param userRateLimit the most tasks that a user may create per minute; 0 for no limit
 * @param minWorkerVersion the lowest version of a worker whose holds get tasks; 0 for any
 * @param paused 1 stops holds, while tasks can still be created; default 0
 * @param events which events are written: 0 none, 1 ends, 2 all; default 0
 * @param sealed whether contexts, results and inputs must be sealed by a codec of the clients: 1
 *     yes, 0 either way, -1 they must not; default 0
 * @param createTime epoch milliseconds; ignored in a save
 * @param modifyTime epoch milliseconds; ignored in a save
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record TaskTypeSettings(
    @JsonProperty("task_type") String taskType,
    @JsonProperty("schedule_limit") Integer scheduleLimit,
    @JsonProperty("schedule_interval") Integer scheduleInterval,
    @JsonProperty("max_processing_time") Integer maxProcessingTime,
    @JsonProperty("max_retry_num") Integer maxRetryNum,
    @JsonProperty("retry_interval") Integer retryInterval,
    @JsonProperty("max_retry_interval") Integer maxRetryInterval,
    @JsonProperty("max_unexpected_retries") Integer maxUnexpectedRetries,
    @JsonProperty("lease_seconds") Integer leaseSeconds,
    @JsonProperty("max_delivery") Integer maxDelivery,
    @JsonProperty("roll_threshold") Long rollThreshold,
    @JsonProperty("retention_days") Integer retentionDays,
    @JsonProperty("max_executing") Integer maxExecuting,
    @JsonProperty("rate_limit") Integer rateLimit,
    @JsonProperty("user_rate_limit") Integer userRateLimit,
    @JsonProperty("min_worker_version") Integer minWorkerVersion,
    @JsonProperty("paused") Integer paused,
    @JsonProperty("events") Integer events,
    @JsonProperty("sealed") Integer sealed,
    @JsonProperty("create_time") Long createTime,
    @JsonProperty("modify_time") Long modifyTime) {

  /** A setting that a type need not have. */
  public enum Removable {
    MAX_RETRY_INTERVAL,
    MAX_UNEXPECTED_RETRIES;

    public TypeSetting setting() {
      return TypeSetting.valueOf(name());
    }

    /** Its name on the wire. */
    public String column() {
      return setting().column();
    }
  }

  /** Settings with a name and no values: the server's defaults for a new type. */
  public static TaskTypeSettings named(String taskType) {
    return new TaskTypeSettings(
        taskType, null, null, null, null, null, null, null, null, null, null, null, null, null,
        null, null, null, null, null, null, null);
  }

  public TaskTypeSettings withScheduleLimit(Integer value) {
    return with("scheduleLimit", value);
  }

  public TaskTypeSettings withScheduleInterval(Integer value) {
    return with("scheduleInterval", value);
  }

  public TaskTypeSettings withMaxProcessingTime(Integer value) {
    return with("maxProcessingTime", value);
  }

  public TaskTypeSettings withMaxRetryNum(Integer value) {
    return with("maxRetryNum", value);
  }

  public TaskTypeSettings withRetryInterval(Integer value) {
    return with("retryInterval", value);
  }

  public TaskTypeSettings withMaxRetryInterval(Integer value) {
    return with("maxRetryInterval", value);
  }

  public TaskTypeSettings withLeaseSeconds(Integer value) {
    return with("leaseSeconds", value);
  }

  public TaskTypeSettings withMaxDelivery(Integer value) {
    return with("maxDelivery", value);
  }

  public TaskTypeSettings withRollThreshold(Long value) {
    return with("rollThreshold", value);
  }

  public TaskTypeSettings withRetentionDays(Integer value) {
    return with("retentionDays", value);
  }

  public TaskTypeSettings withMaxExecuting(Integer value) {
    return with("maxExecuting", value);
  }

  public TaskTypeSettings withRateLimit(Integer value) {
    return with("rateLimit", value);
  }

  /** The same with a limit of the tasks that a user may create per minute. */
  public TaskTypeSettings withUserRateLimit(int tasksPerMinute) {
    return with("userRateLimit", tasksPerMinute);
  }

  /** The same with a lowest version of the workers whose holds get tasks. */
  public TaskTypeSettings withMinWorkerVersion(int version) {
    return with("minWorkerVersion", version);
  }

  /** The same with the events that are written: 0 none, 1 ends, 2 all. */
  public TaskTypeSettings withEvents(int kinds) {
    return with("events", kinds);
  }

  /** The same with the demand that texts be sealed: 1 yes, 0 either way, -1 they must not. */
  public TaskTypeSettings withSealed(int value) {
    return with("sealed", value);
  }

  /** The same with another value of {@code paused}. */
  public TaskTypeSettings withPaused(Integer value) {
    return with("paused", value);
  }

  private TaskTypeSettings with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
