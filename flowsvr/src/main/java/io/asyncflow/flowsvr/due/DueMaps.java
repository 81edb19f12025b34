package io.asyncflow.flowsvr.due;

import io.asyncflow.rules.TaskType;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.springframework.stereotype.Component;

/** The {@link DueMap} of each type. Thread-safe. */
@Component
class DueMaps {

  private final Map<TaskType, DueMap> maps = new ConcurrentHashMap<>();

  DueMap of(TaskType type) {
    return maps.computeIfAbsent(type, t -> new DueMap());
  }

  /** The map of a type; empty if the type has not been looked at yet. */
  Optional<DueMap> known(TaskType type) {
    return Optional.ofNullable(maps.get(type));
  }

  void forEach(BiConsumer<TaskType, DueMap> visitor) {
    maps.forEach(visitor);
  }
}
