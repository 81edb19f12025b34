package io.asyncflow.flowsvr.compose.job.steps;

import io.asyncflow.rules.TaskTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A concurrent change has overtaken a step; its transaction is rolled back. */
final class MovedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final Logger log = LoggerFactory.getLogger(MovedException.class);

  MovedException(long jobId) {
    super("job " + jobId + " was moved meanwhile", null, false, false);
  }

  MovedException(TaskTable table) {
    super(table + " was given up meanwhile", null, false, false);
  }

  /**
   * @throws MovedException unless the step is done
   */
  static void unless(boolean isDone, long jobId) {
    if (!isDone) {
      throw new MovedException(jobId);
    }
  }

  /** Runs the step; false if a concurrent change has overtaken it, and nothing was done. */
  static boolean runUnlessMoved(Runnable step) {
    try {
      step.run();
      return true;
    } catch (MovedException e) {
      log.debug("{}", e.getMessage());
      return false;
    }
  }
}
