package io.asyncflow.worker.internal;

import io.asyncflow.worker.StageHandler;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/** Which handler runs which stage of which type; the only way from a name to code. */
public final class StageRegistry {

  private static final Pattern TYPE = Pattern.compile("[a-z][a-z0-9_]{0,30}");
  private static final int LONGEST_STAGE = 64;

  private final Map<String, Map<String, RegisteredStage>> types = new LinkedHashMap<>();

  /**
   * @throws IllegalArgumentException if a name cannot be one, or the stage has a handler already
   */
  public void register(String taskType, String stage, StageHandler handler, boolean wantsSlot) {
    Objects.requireNonNull(taskType, "taskType");
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(handler, "handler");
    String type = taskType.toLowerCase(Locale.ROOT);
    if (!TYPE.matcher(type).matches()) {
      throw new IllegalArgumentException(
          "'" + taskType + "' cannot be a task type: a letter, then up to 30 of a-z, 0-9 and _");
    }
    // A comma would split the list of stages that a hold asks for.
    if (stage.isBlank() || stage.length() > LONGEST_STAGE || stage.indexOf(',') >= 0) {
      throw new IllegalArgumentException(
          "'" + stage + "' cannot be a stage: 1 to 64 characters, no comma");
    }
    Map<String, RegisteredStage> stages = types.computeIfAbsent(type, t -> new LinkedHashMap<>());
    RegisteredStage before =
        stages.putIfAbsent(stage, new RegisteredStage(stage, handler, wantsSlot));
    if (before != null) {
      throw new IllegalArgumentException(
          "stage "
              + stage
              + " of type "
              + type
              + " has two handlers: "
              + before.handler()
              + " and "
              + handler);
    }
  }

  /** Whether there is nothing to run. */
  public boolean isEmpty() {
    return types.isEmpty();
  }

  /** Type to stage name to stage, in the order of registration. */
  Map<String, Map<String, RegisteredStage>> types() {
    return Collections.unmodifiableMap(types);
  }
}
