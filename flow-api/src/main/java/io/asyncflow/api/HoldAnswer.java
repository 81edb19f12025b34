package io.asyncflow.api;

import java.util.List;

/**
 * What a hold came to that took reports along.
 *
 * @param tasks what it holds; empty when nothing was due
 * @param outcomes what became of each report, in order; empty if nobody looked at them, as a server
 *     that does not know of this
 */
public record HoldAnswer(List<Task> tasks, List<ReportResult> outcomes) {}
