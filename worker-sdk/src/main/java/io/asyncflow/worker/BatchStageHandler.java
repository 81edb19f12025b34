package io.asyncflow.worker;

import java.util.List;

/**
 * Runs one stage of several tasks in one go, as a network does that takes a batch in one pass.
 *
 * <p>A batch is made of tasks of the stage that are due and have the same {@link #key}; none waits
 * for it to fill. Each of them keeps its own lease, attempt and result. One that is cancelled, or
 * whose time is over, is left out of what is reported, and {@link StageContext#cancelled} says so;
 * the thread is interrupted when that is true of all that have no result yet.
 *
 * <p>When the handler throws a {@link ResourceException}, or fails a task with one, batches become
 * half as large, down to one task, and grow again slowly while all goes well.
 *
 * <p>One instance serves many batches at the same time, so it must be thread-safe; what {@link
 * StageHandler} says of repetitions is true here too.
 */
public interface BatchStageHandler {

  /**
   * Runs the stage for each of them. A task of which nothing was said when this returns fails for
   * good; one of which nothing was said when this throws fails with what it threw.
   *
   * @param batch at least one
   * @throws Exception as from {@link StageHandler#handle}
   */
  void handle(List<BatchRun> batch) throws Exception;

  /** The most tasks of a batch, at least 1. */
  default int maxTasks() {
    return 16;
  }

  /**
   * What the tasks of a batch have in common, as model and voice; all of them unless this says
   * otherwise. A task of which this throws, or {@link #size} or {@link #maxSize}, is run alone, and
   * so is one whose context is asked for here and lies in the context store: tasks are sorted into
   * batches without waiting for the server.
   */
  default Object key(StageContext context) {
    return "";
  }

  /** How much of {@link #maxSize} a task is, in a unit of the handler's own; 1 by default. */
  default long size(StageContext context) {
    return 1;
  }

  /**
   * The most that the sizes of a batch may sum up to; a larger task is run alone. Asked once a
   * task, when that comes.
   */
  default long maxSize() {
    return Long.MAX_VALUE;
  }
}
