package io.asyncflow.flowsvr.task.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.TaskTypeFields;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A validated save of a type.
 *
 * @param settings the values; {@code null} keeps a value
 * @param removed the values that were sent as null and can be {@code null}
 * @param expectedModifyTime epoch ms, as the caller has read the type; 0 if there is none yet;
 *     {@code null} for any
 * @param respells whether an existing type is to be spelled as in {@code settings}
 * @param why for the record
 */
record TaskTypeForm(
    TaskTypeSettings settings,
    Set<TypeSetting> removed,
    Long expectedModifyTime,
    boolean respells,
    Reason why) {

  /** With the times, which a client sends that saves what it has listed, and which are ignored. */
  private static final Set<String> KNOWN =
      FieldSource.namesOf(TaskTypeSettings.class, "expectedModifyTime", "operator", "reason");

  /**
   * @throws io.asyncflow.api.FlowException with every invalid and every unknown field
   */
  static TaskTypeForm read(Fields in) {
    TaskTypeSettings settings = TaskTypeFields.settings(in);
    Long expected = in.number("expectedModifyTime").between(0, Long.MAX_VALUE).asLong();
    Reason why = Reason.read(in);
    in.refuseUnknown(KNOWN);
    in.refuseIfBad();
    Set<TypeSetting> removed =
        Arrays.stream(TypeSetting.values())
            .filter(setting -> setting.usual() == null && in.isNull(setting.component()))
            .collect(Collectors.toUnmodifiableSet());
    return new TaskTypeForm(settings, removed, expected, in.respells(), why);
  }

  /**
   * @param type as it is; empty if there is none
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if it is not the expected one
   */
  void requireExpected(Optional<TaskTypeSettings> type) {
    long modifyTime = type.map(TaskTypeSettings::modifyTime).orElse(0L);
    if (expectedModifyTime != null && expectedModifyTime != modifyTime) {
      throw new FlowException(
          ErrorCode.CHANGED_MEANWHILE,
          "the type %s has changed: its modify_time was %s when it was read, and is %s"
              .formatted(settings.taskType(), expectedModifyTime, modifyTime));
    }
  }

  /** Whether the save changes nothing but what slows the type down or stops it. */
  boolean onlyTunes() {
    return removed.isEmpty()
        && !respells
        && TypeSetting.given(settings).keySet().stream()
            .allMatch(name -> TypeSetting.byComponent().get(name).isTuned());
  }
}
