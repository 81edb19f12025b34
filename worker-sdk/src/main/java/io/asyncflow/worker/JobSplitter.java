package io.asyncflow.worker;

import io.asyncflow.api.JobChild;
import java.util.stream.Stream;

/**
 * Splits a job into children that run side by side.
 *
 * <p>It is the handler of the stage {@value #STAGE} of the job's type, and all that is said of a
 * {@link StageHandler} goes for it. It may be run twice; what the first run sent is then replaced.
 */
@FunctionalInterface
public interface JobSplitter {

  /** The stage that a splitter handles. */
  String STAGE = "split";

  /**
   * Yields the children, in the order in which their results will be merged. They are sent to the
   * server as they come, and become tasks when all of them are there.
   *
   * @param job the job and its input; valid until the stream is closed
   * @return at most 100,000, read once and closed; none is no error
   * @throws NonRetryableException if trying again cannot help: the job fails
   * @throws Exception anything else: the split is tried again
   */
  Stream<JobChild> split(SplitContext job) throws Exception;
}
