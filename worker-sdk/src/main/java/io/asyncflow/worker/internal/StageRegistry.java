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

  /** As flowsvr has it: what ends like a table would make ids that can be read in two ways. */
  private static final Pattern TYPE = Pattern.compile("(?!.*_task(_[0-9]+)?$)[a-z][a-z0-9_]{0,30}");

  /** So many a hold can ask for. */
  private static final int MOST_STAGES = 64;

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
          "'"
              + taskType
              + "' cannot be a task type: a letter, then up to 30 of a-z, 0-9 and _, not ending in"
              + " _task or _task_ and digits");
    }
    // A comma would split the list of stages that a hold asks for.
    if (stage.isBlank() || stage.length() > LONGEST_STAGE || stage.indexOf(',') >= 0) {
      throw new IllegalArgumentException(
          "'" + stage + "' cannot be a stage: 1 to 64 characters, no comma");
    }
    Map<String, RegisteredStage> stages = types.computeIfAbsent(type, t -> new LinkedHashMap<>());
    if (stages.size() == MOST_STAGES && !stages.containsKey(stage)) {
      throw new IllegalArgumentException(
          "type "
              + type
              + " has more than "
              + MOST_STAGES
              + " stages; give some a type of their own");
    }
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
