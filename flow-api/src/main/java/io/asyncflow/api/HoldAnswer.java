package io.asyncflow.api;

import java.util.List;

/**
 * What a hold came to.
 *
 * @param tasks what it holds; empty when nothing was due
 * @param outcomes what became of each report that it took along, in order; empty if nobody looked
 *     at them, as a server that does not know of this
 * @param drain whether the worker shall stop polling, finish what it has, and leave
 */
public record HoldAnswer(List<Task> tasks, List<ReportResult> outcomes, boolean drain) {

  /** An answer that sends nobody away. */
  public HoldAnswer(List<Task> tasks, List<ReportResult> outcomes) {
    this(tasks, outcomes, false);
  }
}
