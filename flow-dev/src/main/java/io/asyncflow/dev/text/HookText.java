package io.asyncflow.dev.text;

import io.asyncflow.api.hook.Hook;
import java.util.Collection;
import java.util.List;

/** Hooks as lines of a table. */
public final class HookText {
  private HookText() {}

  /** One line a hook, below a line of heads. */
  public static List<String> table(List<Hook> hooks, TimeText times) {
    TextTable table =
        new TextTable("NAME", "STATE", "URL", "TYPES", "KINDS", "FAILS SINCE", "LAST ERROR");
    for (Hook hook : hooks) {
      table.add(
          hook.name(),
          hook.state().name(),
          hook.url(),
          orAll(hook.taskTypes()),
          orAll(hook.kinds()),
          times.of(hook.failSince()),
          hook.lastError());
    }
    return table.lines();
  }

  private static String orAll(Collection<String> names) {
    return names.isEmpty() ? "all" : String.join(",", names.stream().sorted().toList());
  }
}
