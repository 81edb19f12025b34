package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * The configuration of a task type, in snake_case on the wire as it always was. Times are seconds
 * unless they say otherwise. In a save every {@code null} leaves an existing type's value alone and
 * gives a new type its default.
 *
 * @param taskType the type, in the spelling it was given
 * @param scheduleLimit tasks a hold, default 100
 * @param scheduleInterval length of a long poll, or the pause between polls, default 10
 * @param maxProcessingTime hard end of one attempt, from the hold, default 30
 * @param maxRetryNum retries of a stage, default 3
 * @param retryInterval see the retry delay in docs/api.md, default 10
 * @param maxRetryInterval cap of the doubling; {@code null} for none
 * @param leaseSeconds length of a lease, default 30
 * @param maxDelivery holds in a row without a report before a task is quarantined, default 10
 * @param rollThreshold rows in a table before the next one, default 5,000,000
 * @param retentionDays days before a drained table is dropped; 0 for ever
 * @param maxExecuting tasks of the type executing at once; 0 for no limit
 * @param rateLimit holds of tasks a second; 0 for no limit
 * @param paused 1 gives nothing to holds while creates go on; default 0
 * @param createTime epoch milliseconds; ignored in a save
 * @param modifyTime epoch milliseconds; ignored in a save
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
@JsonInclude(JsonInclude.Include.ALWAYS)
public record TaskTypeSettings(
    String taskType,
    Integer scheduleLimit,
    Integer scheduleInterval,
    Integer maxProcessingTime,
    Integer maxRetryNum,
    Integer retryInterval,
    Integer maxRetryInterval,
    Integer leaseSeconds,
    Integer maxDelivery,
    Long rollThreshold,
    Integer retentionDays,
    Integer maxExecuting,
    Integer rateLimit,
    Integer paused,
    Long createTime,
    Long modifyTime) {

  /** A type with the defaults of the server for everything but its name. */
  public static TaskTypeSettings named(String taskType) {
    return new TaskTypeSettings(
        taskType, null, null, null, null, null, null, null, null, null, null, null, null, null,
        null, null);
  }
}
