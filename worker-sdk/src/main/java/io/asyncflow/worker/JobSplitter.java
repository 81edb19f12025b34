package io.asyncflow.worker;

import io.asyncflow.api.JobChild;
import java.util.stream.Stream;

/**
 * Splits a job into children that run in parallel.
 *
 * <p>It is the handler of the stage {@value #STAGE} of the job's type, and everything said about a
 * {@link StageHandler} applies to it. It may run twice; the children of the second run then replace
 * those of the first.
 */
@FunctionalInterface
public interface JobSplitter {

  /** The stage that a splitter handles. */
  String STAGE = "split";

  /**
   * Returns the children in the order in which their results will be merged. They are sent to the
   * server as the stream yields them, and become tasks when all of them have arrived.
   *
   * @param job the job and its input; valid until the stream is closed
   * @return at most 100,000 children, read once and closed; may be empty
   * @throws NonRetryableException if a retry cannot help: the job fails
   * @throws Exception any other failure: the split is retried
   */
  Stream<JobChild> split(SplitContext job) throws Exception;
}
