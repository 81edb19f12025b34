package io.asyncflow.worker;

import java.util.List;

/**
 * Runs one stage for several tasks in one call, such as a neural network that processes batches.
 *
 * <p>A batch consists of held tasks of the stage with the same {@link #key}; no task waits for a
 * batch to fill. Each task keeps its own lease, attempt and result. A task that is cancelled, or
 * whose time has ended, is not reported as completed; its {@link StageContext#cancelled} returns
 * {@code true}. The thread is interrupted when this is true of all tasks without a result.
 *
 * <p>When the handler throws a {@link ResourceException}, or fails a task with one, the batch size
 * is halved, down to one task, and grows again slowly after successes.
 *
 * <p>One instance serves many batches at the same time, so it must be thread-safe. A stage may be
 * repeated as described for {@link StageHandler}.
 */
public interface BatchStageHandler {

  /**
   * Runs the stage for each task of the batch. Tasks without a result when this returns fail for
   * good; tasks without a result when this throws fail with that exception.
   *
   * @param batch at least one task
   * @throws Exception as from {@link StageHandler#handle}
   */
  void handle(List<BatchRun> batch) throws Exception;

  /** The maximum number of tasks in a batch, at least 1. */
  default int maxTasks() {
    return 16;
  }

  /**
   * The key that the tasks of a batch share, such as model and voice; by default all tasks share
   * one. A task is run alone if this method, {@link #size} or {@link #maxSize} throws for it, or
   * reads its context while that is in the context store: batches are formed without waiting for
   * the server.
   */
  default Object key(StageContext context) {
    return "";
  }

  /**
   * The size of a task, in the unit of {@link #maxSize}, which the handler chooses; 1 by default.
   */
  default long size(StageContext context) {
    return 1;
  }

  /**
   * The maximum sum of the sizes in a batch; a larger task is run alone. Called once for each task,
   * when it arrives.
   */
  default long maxSize() {
    return Long.MAX_VALUE;
  }
}
