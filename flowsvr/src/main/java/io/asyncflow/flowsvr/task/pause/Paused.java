package io.asyncflow.flowsvr.task.pause;

import io.asyncflow.rules.TaskType;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * All that is paused at one moment. Immutable.
 *
 * @param stages the paused stages of each type that has one
 * @param workers their ids
 * @param anyJob whether any job is
 */
public record Paused(
    Set<TaskType> types, Map<TaskType, Set<String>> stages, Set<String> workers, boolean anyJob) {

  public static final Paused NOTHING = new Paused(Set.of(), Map.of(), Set.of(), false);

  public Paused {
    types = Set.copyOf(types);
    stages = Map.copyOf(stages);
    workers = Set.copyOf(workers);
  }

  public boolean hasType(TaskType type) {
    return types.contains(type);
  }

  /** The paused stages of a type. */
  public Set<String> stagesOf(TaskType type) {
    return stages.getOrDefault(type, Set.of());
  }

  public boolean hasWorker(String workerId) {
    return workers.contains(workerId);
  }

  /** Whether these workers get the same tasks of the type as if this other were in force. */
  public boolean isSameFor(TaskType type, Collection<String> lineOfWorkers, Paused other) {
    return hasType(type) == other.hasType(type)
        && stagesOf(type).equals(other.stagesOf(type))
        && (workers.equals(other.workers)
            || lineOfWorkers.stream().allMatch(id -> hasWorker(id) == other.hasWorker(id)));
  }

  boolean isNothing() {
    return equals(NOTHING);
  }
}
