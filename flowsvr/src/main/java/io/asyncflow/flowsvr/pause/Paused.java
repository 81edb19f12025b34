package io.asyncflow.flowsvr.pause;

import io.asyncflow.rules.TaskType;
import java.util.Map;
import java.util.Set;

/**
 * All that is paused at one moment. Immutable.
 *
 * @param stages the paused stages of each type that has one
 * @param workers their ids
 * @param jobs their numbers
 */
public record Paused(
    Set<TaskType> types, Map<TaskType, Set<String>> stages, Set<String> workers, Set<Long> jobs) {

  public static final Paused NOTHING = new Paused(Set.of(), Map.of(), Set.of(), Set.of());

  public Paused {
    types = Set.copyOf(types);
    stages = Map.copyOf(stages);
    workers = Set.copyOf(workers);
    jobs = Set.copyOf(jobs);
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

  boolean isNothing() {
    return equals(NOTHING);
  }
}
