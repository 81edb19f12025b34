package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Task;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often in a row a task has failed on this worker for want of resources. A task that fits
 * nowhere would otherwise go round for ever.
 *
 * <p>Thread-safe.
 */
final class ResourceFailures {

  /** So many failures in a row are the task's own fault. */
  private static final int MOST_IN_A_ROW = 3;

  /** Tasks that are remembered; the one that failed longest ago is forgotten. */
  private static final int MOST_TASKS = 1000;

  private record StageOfTask(String taskId, String stage) {}

  private final Map<StageOfTask, Integer> failures =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<StageOfTask, Integer> eldest) {
          return size() > MOST_TASKS;
        }
      };

  /**
   * Counts one more.
   *
   * @return whether it counts as an attempt; the next one is then the first again
   */
  synchronized boolean record(Task task) {
    boolean isAttempt = failures.merge(key(task), 1, Integer::sum) >= MOST_IN_A_ROW;
    if (isAttempt) {
      failures.remove(key(task));
    }
    return isAttempt;
  }

  /** The task has found the resources that it needs. */
  synchronized void forget(Task task) {
    failures.remove(key(task));
  }

  private static StageOfTask key(Task task) {
    return new StageOfTask(task.taskId(), task.taskStage());
  }
}
