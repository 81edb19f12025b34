package io.asyncflow.worker.internal.stage;

import io.asyncflow.worker.BatchStageHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The adaptive batch size of a stage: halved after each batch that lacked resources, and increased
 * by an eighth after ten full batches in a row that did not.
 *
 * <p>Thread-safe.
 */
public final class Batches {

  private static final Logger log = LoggerFactory.getLogger(Batches.class);

  private static final int PATIENCE = 10;
  private static final int SHARE = 8;

  private final BatchStageHandler handler;
  private final int maxTasks;
  private int limit;
  private int successes;

  Batches(BatchStageHandler handler) {
    this.handler = handler;
    this.maxTasks = handler.maxTasks();
    if (maxTasks < 1) {
      throw new IllegalArgumentException("a batch has at least one task: " + handler);
    }
    this.limit = maxTasks;
  }

  public BatchStageHandler handler() {
    return handler;
  }

  /** The maximum number of tasks in the next batch. */
  synchronized int limit() {
    return limit;
  }

  /** A batch of this size lacked resources. */
  public synchronized void recordResourceFailure(int tasks) {
    successes = 0;
    int half = Math.max(1, tasks / 2);
    if (half < limit) {
      limit = half;
      log.warn("a batch of {} lacked resources; the next have at most {} tasks", tasks, limit);
    }
  }

  /** A batch of this size had the resources that it needs. */
  public synchronized void recordSuccess(int tasks) {
    if (tasks < limit || limit == maxTasks) {
      return;
    }
    successes++;
    if (successes >= PATIENCE) {
      successes = 0;
      limit = Math.min(maxTasks, limit + Math.max(1, limit / SHARE));
    }
  }
}
