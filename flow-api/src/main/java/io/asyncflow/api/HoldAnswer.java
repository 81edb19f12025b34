package io.asyncflow.api;

import java.util.List;

/**
 * The server's answer to a hold call.
 *
 * @param tasks the tasks that the worker holds now; empty if nothing was due
 * @param outcomes the result of each report that the call carried, in order; empty if the server
 *     does not take reports with a hold
 * @param drain whether the worker shall drain: stop polling, finish its tasks and stop
 * @param drainGraceMs milliseconds after which a draining worker interrupts what it runs and
 *     releases it; {@code null} for never
 * @param minWorkerVersion the lowest version that gets tasks of this type, if the worker's is too
 *     old; {@code null} if it is not
 * @param paused whether an operator has paused the worker, so that its holds get no tasks
 */
public record HoldAnswer(
    List<Task> tasks,
    List<ReportResult> outcomes,
    boolean drain,
    Long drainGraceMs,
    Integer minWorkerVersion,
    boolean paused) {}
