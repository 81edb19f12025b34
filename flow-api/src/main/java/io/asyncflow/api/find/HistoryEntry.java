package io.asyncflow.api.find;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * An entry of the history of a task; what does not apply is {@code null}.
 *
 * @param time epoch milliseconds
 * @param kind {@code CREATED}, {@code HELD}, {@code REPORT}, {@code FAILURE}, {@code ACT} or {@code
 *     CURRENT}
 * @param outcome of a report; of an act, its kind; of the current state, its status
 * @param verdict of a failure without a report: {@code WORKER_LOST}, {@code TIMED_OUT}, {@code
 *     POISON}, {@code OPERATOR}
 * @param costMs from the hold to its end
 * @param waitMs from when the task began to wait to the hold
 * @param errMsg only for callers that may read contents
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HistoryEntry(
    long time,
    String kind,
    String stage,
    String outcome,
    String verdict,
    String workerId,
    Integer leaseEpoch,
    Long costMs,
    Long waitMs,
    String errMsg,
    String operator,
    String reason,
    String traceId) {}
