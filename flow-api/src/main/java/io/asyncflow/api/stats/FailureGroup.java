package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Failures of a type that differ in numbers, ids, paths and quoted texts alone.
 *
 * @param fingerprint 16 hexadecimal digits; all 0 for failures that were not told apart
 * @param taskStage {@code null} without a fingerprint, as the verdict
 * @param verdict RETRY, FAIL, TIMED_OUT, WORKER_LOST, POISON or OPERATOR
 * @param finals tasks that were set to failed
 * @param firstTime epoch ms of the first one within the time that was asked for, by the hour
 * @param sample the message of one of them; may be empty
 * @param spark failures in each 24th part of the time that was asked for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FailureGroup(
    String fingerprint,
    String taskType,
    String taskStage,
    String verdict,
    long failures,
    long finals,
    long firstTime,
    long lastTime,
    String sample,
    String sampleTaskId,
    List<Long> spark) {}
