package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Task;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts how often in a row a task lacked resources on this worker. Without it, a task that fits on
 * no machine would be released for ever.
 *
 * <p>Thread-safe.
 */
final class ResourceFailures {

  /** This many failures in a row count as a failed attempt. */
  private static final int MOST_IN_A_ROW = 3;

  /** The number of remembered tasks; the one that failed longest ago is forgotten first. */
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
   * Records a failure.
   *
   * @return whether it counts as an attempt; counting then starts again
   */
  synchronized boolean record(Task task) {
    boolean isAttempt = failures.merge(key(task), 1, Integer::sum) >= MOST_IN_A_ROW;
    if (isAttempt) {
      failures.remove(key(task));
    }
    return isAttempt;
  }

  /** The task had the resources that it needs. */
  synchronized void forget(Task task) {
    failures.remove(key(task));
  }

  private static StageOfTask key(Task task) {
    return new StageOfTask(task.taskId(), task.taskStage());
  }
}
