package io.asyncflow.rules;

import io.asyncflow.api.pause.PauseKind;
import java.util.Optional;

/**
 * What a pause stops.
 *
 * @param text the type, {@code type/stage}, or the worker's id; a type in lower case
 */
public record PausedName(PauseKind kind, String text) {

  private static final int MAX_STAGE = 64;
  private static final int MAX_WORKER_ID = 64;

  public static PausedName ofType(TaskType type) {
    return new PausedName(PauseKind.TYPE, type.name());
  }

  /** Empty if it cannot be a name of this kind. */
  public static Optional<PausedName> parse(PauseKind kind, String text) {
    return switch (kind) {
      case TYPE -> TaskType.parse(text).map(PausedName::ofType);
      case STAGE -> stage(text);
      case WORKER -> ofLength(text, MAX_WORKER_ID).map(id -> new PausedName(kind, id));
    };
  }

  private static Optional<PausedName> stage(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      return Optional.empty();
    }
    return TaskType.parse(text.substring(0, slash))
        .flatMap(
            type ->
                ofLength(text.substring(slash + 1), MAX_STAGE)
                    .filter(stage -> stage.equals(stage.strip()))
                    .map(stage -> new PausedName(PauseKind.STAGE, type + "/" + stage)));
  }

  private static Optional<String> ofLength(String text, int max) {
    return Optional.of(text)
        .filter(name -> !name.isEmpty() && name.codePointCount(0, name.length()) <= max);
  }

  /** The type of a type or a stage. */
  public TaskType type() {
    int slash = text.indexOf('/');
    return new TaskType(slash < 0 ? text : text.substring(0, slash));
  }

  /** The stage of a stage. */
  public String stage() {
    return text.substring(text.indexOf('/') + 1);
  }
}
