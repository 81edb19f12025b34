package io.asyncflow.api.event;

import java.util.Set;

/**
 * Which events are wanted: those that satisfy every condition.
 *
 * @param taskTypes in lower case; empty for all
 * @param kinds empty for all
 * @param userId {@code null} for all
 */
public record EventFilter(Set<String> taskTypes, Set<EventKind> kinds, String userId) {

  /** All events. */
  public static final EventFilter ALL = new EventFilter(Set.of(), Set.of(), null);

  public EventFilter {
    taskTypes = Set.copyOf(taskTypes);
    kinds = Set.copyOf(kinds);
  }

  /** The same filter for these types alone. */
  public EventFilter ofTypes(String... types) {
    return new EventFilter(Set.of(types), kinds, userId);
  }

  /** The same filter for these kinds alone. */
  public EventFilter ofKinds(EventKind... wanted) {
    return new EventFilter(taskTypes, Set.of(wanted), userId);
  }

  /** The same filter for the tasks and jobs of this user alone. */
  public EventFilter ofUser(String user) {
    return new EventFilter(taskTypes, kinds, user);
  }

  /** Whether the event is wanted. */
  public boolean matches(Event event) {
    return (taskTypes.isEmpty() || taskTypes.contains(event.taskType()))
        && (kinds.isEmpty() || event.kind() != null && kinds.contains(event.kind()))
        && (userId == null || userId.equals(event.userId()));
  }
}
