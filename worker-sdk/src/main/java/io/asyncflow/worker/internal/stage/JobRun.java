package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.JobClient;
import io.asyncflow.worker.StageContext;

/** A run as the splitting and the merging of a job need it. */
public interface JobRun extends StageContext {

  /** Who holds the task. */
  String workerId();

  JobClient jobs();

  /** What a context or a result of a row says, wherever it is. */
  String textOf(String contextOrResult);

  /**
   * What stands for a text in a row: itself, unless it is too large for that.
   *
   * @param name what it is stored by
   */
  String inRow(String name, String text) throws InterruptedException;
}
