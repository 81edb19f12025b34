package io.asyncflow.worker;

import java.time.Duration;

/**
 * The end of a run on a worker, for metrics.
 *
 * @param outcome that of its report in lower case, such as {@code success}; {@code timed_out} if it
 *     reached its deadline, which is reported as a retry, {@code lost} if another worker may hold
 *     the task, {@code cancelled} if an operator cancelled it
 * @param took from the start of its handler; {@code null} if the run had not started
 */
public record RunEnd(String taskType, String taskStage, String outcome, Duration took) {}
