package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Task;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often a task has met a lack of resources on this worker, in a row. A task that fits nowhere
 * would otherwise go round for ever.
 *
 * <p>Thread-safe.
 */
final class Scarcity {

  /** From this time on it is not bad luck any more. */
  private static final int TIMES = 3;

  /** Tasks that are remembered; the one that was heard of longest ago is forgotten. */
  private static final int MOST = 1000;

  private record StageOfTask(String taskId, String stage) {}

  private final Map<StageOfTask, Integer> met =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<StageOfTask, Integer> eldest) {
          return size() > MOST;
        }
      };

  /** Counts one more; {@code true} if it is to be counted as an attempt, and then begins anew. */
  synchronized boolean isItsOwnFault(Task task) {
    boolean enough = met.merge(key(task), 1, Integer::sum) >= TIMES;
    if (enough) {
      met.remove(key(task));
    }
    return enough;
  }

  /** It has found what it needs. */
  synchronized void over(Task task) {
    met.remove(key(task));
  }

  private static StageOfTask key(Task task) {
    return new StageOfTask(task.taskId(), task.taskStage());
  }
}
