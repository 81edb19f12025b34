package io.asyncflow.api.hook;

import io.asyncflow.api.event.EventKind;
import java.util.Set;

/**
 * A hook to be saved.
 *
 * @param name unique, at most 128 characters
 * @param url {@code https://}, to a host that {@code FLOW_HOOK_ALLOW} of the servers lists
 * @param taskTypes the types whose events it wants; empty for all
 * @param kinds the kinds of events that it wants; empty for all
 * @param state {@link HookState#ACTIVE} or {@link HookState#PAUSED}; {@code null} for active if the
 *     hook is new, and unchanged otherwise
 */
public record NewHook(
    String name, String url, Set<String> taskTypes, Set<EventKind> kinds, HookState state) {

  public NewHook {
    taskTypes = Set.copyOf(taskTypes);
    kinds = Set.copyOf(kinds);
  }

  /** A hook that wants all events. */
  public static NewHook of(String name, String url) {
    return new NewHook(name, url, Set.of(), Set.of(), null);
  }

  /** The same for the events of these types alone. */
  public NewHook ofTypes(String... types) {
    return new NewHook(name, url, Set.of(types), kinds, state);
  }

  /** The same for events of these kinds alone. */
  public NewHook ofKinds(EventKind... wanted) {
    return new NewHook(name, url, taskTypes, Set.of(wanted), state);
  }

  /** The same in this state. */
  public NewHook in(HookState value) {
    return new NewHook(name, url, taskTypes, kinds, value);
  }
}
