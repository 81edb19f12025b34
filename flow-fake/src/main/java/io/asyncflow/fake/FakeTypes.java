package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.rules.SealRule;
import io.asyncflow.rules.TypeRules;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskTypeFields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The task types of a {@link FakeFlowServer}, guarded by its lock. */
final class FakeTypes {

  private final Map<String, TaskTypeSettings> types = new LinkedHashMap<>();

  List<TaskTypeSettings> all() {
    return List.copyOf(types.values());
  }

  /**
   * Adds or changes a type; absent values of a known type stay unchanged.
   *
   * @param in the fields of the call
   * @return the name of the type
   */
  String save(SentFields in, Set<TaskTypeSettings.Removable> removed) {
    TaskTypeSettings settings = TaskTypeFields.settings(in);
    in.refuseIfBad();
    put(settings, removed);
    return nameOf(settings.taskType());
  }

  void put(TaskTypeSettings settings, Set<TaskTypeSettings.Removable> removed) {
    types.merge(
        nameOf(settings.taskType()),
        settings,
        (before, changes) -> changed(before, changes, removed));
  }

  private static TaskTypeSettings changed(
      TaskTypeSettings before, TaskTypeSettings changes, Set<TaskTypeSettings.Removable> removed) {
    Map<String, Object> values = RecordCopy.valuesOf(changes);
    values.values().removeIf(Objects::isNull);
    removed.forEach(setting -> values.put(setting.setting().component(), null));
    return RecordCopy.with(before, values);
  }

  /** Sets or takes away the flag of a paused type. */
  void setPaused(String name, boolean paused) {
    types.computeIfPresent(name, (same, before) -> before.withPaused(paused ? 1 : 0));
  }

  /** The settings of a type that a client names; it must exist. */
  TaskTypeSettings named(String taskType) {
    TaskTypeSettings type = types.get(nameOf(taskType));
    if (type == null) {
      throw new FlowException(
          ErrorCode.NO_SUCH_TASK_TYPE,
          "there is no task type "
              + nameOf(taskType)
              + "; /api/task_schedule_cfg/save creates one");
    }
    return type;
  }

  boolean exists(String taskType) {
    return types.containsKey(nameOf(taskType));
  }

  /** The name of a type, however it is spelled. */
  String nameOf(String taskType) {
    return taskType.toLowerCase(Locale.ROOT);
  }

  /** The settings of the type of a task. */
  TaskTypeSettings of(FakeTask task) {
    return types.get(task.created.taskType());
  }

  TypeRules rulesOf(FakeTask task) {
    return TypeRules.of(of(task));
  }

  /** Refuses a text that its type does not take. */
  void checkSealing(String taskType, String text, String field) {
    int sealed = TypeSetting.SEALED.orUsual(named(taskType).sealed());
    SealRule.of(sealed).check(taskType, text, field);
  }
}
