package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.compose.hook.HookStore.Definition;
import io.asyncflow.flowsvr.compose.hook.egress.HookAllow;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.rules.TaskType;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads the definition of a hook. */
final class HookForm {

  static final int NAME = 128;

  /** A misspelled filter would make a hook for everything. */
  private static final Set<String> FIELDS =
      Set.of("name", "url", "taskTypes", "kinds", "state", "operator", "reason");

  private static final int URL = 2_000;
  private static final int TYPES = 64;
  private static final int TYPE_NAME = 31;
  private static final int KINDS = 64;
  private static final int KIND_NAME = 32;

  private HookForm() {}

  /**
   * Reads the definition, whose state is {@code null} if it is to stay; it is valid only if {@code
   * in} has no invalid field afterwards.
   */
  static Definition read(Fields in, HookAllow allow) {
    in.refuseUnknown(FIELDS);
    String name = in.text("name").required().name().max(NAME).value();
    String url = in.text("url").required().ascii().max(URL).value();
    if (url != null) {
      allow.refusal(url).ifPresent(why -> in.refuse("url", why));
    }
    StoredHookState state = in.text("state").as(HookForm::state, "must be ACTIVE or PAUSED");
    return new Definition(name, url, types(in), kinds(in), state);
  }

  private static Optional<StoredHookState> state(String text) {
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "ACTIVE" -> Optional.of(StoredHookState.ACTIVE);
      case "PAUSED" -> Optional.of(StoredHookState.PAUSED);
      default -> Optional.empty();
    };
  }

  private static Set<String> types(Fields in) {
    Set<String> types = new TreeSet<>();
    for (String name : in.names("taskTypes").max(TYPES, TYPE_NAME).values()) {
      TaskType.parse(name)
          .ifPresentOrElse(
              type -> types.add(type.name()),
              () -> in.refuse("taskTypes", "must name only valid task types"));
    }
    return types;
  }

  private static Set<String> kinds(Fields in) {
    Set<String> kinds = new TreeSet<>();
    for (String name : in.names("kinds").max(KINDS, KIND_NAME).values()) {
      Arrays.stream(EventKind.values())
          .filter(kind -> kind.name().equals(name.toUpperCase(Locale.ROOT)))
          .findFirst()
          .ifPresentOrElse(
              kind -> kinds.add(kind.name()),
              () -> in.refuse("kinds", "must name only " + Arrays.toString(EventKind.values())));
    }
    return kinds;
  }
}
