package io.asyncflow.rules.field;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.rules.TaskType;
import java.util.Optional;

/** The settings of a task type that is saved. */
public final class TaskTypeFields {

  private static final long MAX_AGE_MS = 60_000;

  private TaskTypeFields() {}

  /**
   * Reads the settings; they are valid only if {@code in} has no invalid field afterwards.
   *
   * @return with the name as it was spelled; {@code null} keeps a value
   */
  public static TaskTypeSettings settings(FieldSource in) {
    String name = in.text("taskType").required().as(TaskTypeFields::spelling, TaskType.RULE);
    TaskFields.refuseReserved(in, "taskType", TaskType.parse(name).orElse(null));
    return TypeSetting.settings(
        name,
        setting -> in.number(setting.component()).between(setting.min(), setting.max()).asLong());
  }

  /** How old a list of types may be, in milliseconds. */
  public static int maxAgeMs(FieldSource in) {
    return in.number("maxAgeMs").between(0, MAX_AGE_MS).or(0);
  }

  /** The name as it was spelled, if it is a valid type name. */
  private static Optional<String> spelling(String name) {
    return TaskType.parse(name).map(type -> name);
  }
}
