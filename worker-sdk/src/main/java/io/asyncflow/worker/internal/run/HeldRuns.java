package io.asyncflow.worker.internal.run;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** All tasks that this worker holds: queued, running, or with an undelivered report. */
public final class HeldRuns {

  private record Hold(String taskId, int epoch) {}

  private final Map<Hold, Run> runs = new ConcurrentHashMap<>();
  private final Map<String, Integer> countOfType = new ConcurrentHashMap<>();
  private final List<Consumer<Run>> added = new CopyOnWriteArrayList<>();
  private final List<Consumer<Run>> settled = new CopyOnWriteArrayList<>();

  /** Adds a run; {@code false} if it is already held, because an answer arrived twice. */
  public boolean add(Run run) {
    if (runs.putIfAbsent(holdOf(run), run) != null) {
      return false;
    }
    countOfType.merge(run.taskType(), 1, Integer::sum);
    added.forEach(listener -> listener.accept(run));
    return true;
  }

  /** Removes a settled run. */
  public void settle(Run run) {
    if (runs.remove(holdOf(run), run)) {
      countOfType.merge(run.taskType(), -1, Integer::sum);
      settled.forEach(listener -> listener.accept(run));
    }
  }

  public Run find(String taskId, int epoch) {
    return runs.get(new Hold(taskId, epoch));
  }

  public Collection<Run> all() {
    return runs.values();
  }

  public int count(String taskType) {
    return countOfType.getOrDefault(taskType, 0);
  }

  /** Whether a run of the type has an undelivered report. */
  public boolean isReporting(String taskType) {
    return runs.values().stream()
        .anyMatch(run -> run.taskType().equals(taskType) && run.state() == RunState.REPORTING);
  }

  public boolean isEmpty() {
    return runs.isEmpty();
  }

  public void whenAdded(Consumer<Run> listener) {
    added.add(listener);
  }

  public void whenSettled(Consumer<Run> listener) {
    settled.add(listener);
  }

  private static Hold holdOf(Run run) {
    return new Hold(run.task().taskId(), run.task().leaseEpoch());
  }
}
