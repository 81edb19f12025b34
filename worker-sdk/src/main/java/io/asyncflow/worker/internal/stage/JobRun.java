package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.JobClient;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.StageContext;

/** The operations of a run that splitting and merging a job need. */
public interface JobRun extends StageContext {

  /** The id of the worker that holds the task. */
  String workerId();

  JobClient jobs();

  /** Seals and opens the texts of the job. */
  Sealing sealing();

  /**
   * The text of a context or result as it was reported, read from the store if it is a reference.
   */
  String textOf(String contextOrResult);

  /**
   * The text for a row: itself, or a reference if it is too large.
   *
   * @param name the name under which it is stored
   */
  String inRow(String name, String text) throws InterruptedException;
}
