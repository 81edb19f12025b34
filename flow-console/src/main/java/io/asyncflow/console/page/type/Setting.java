package io.asyncflow.console.page.type;

import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.console.frame.Form;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A setting of a type, as a form has it.
 *
 * @param value empty if the type has none
 */
public record Setting(TypeSetting of, String value) {

  /** All settings that a form can change, in their order. */
  private static final List<TypeSetting> ALL =
      Stream.of(TypeSetting.values()).filter(setting -> setting.group() != null).toList();

  /** As the call of a save has it. */
  public String name() {
    return of.column();
  }

  /**
   * A setting that a form changes.
   *
   * @param after empty if the type is to have none
   */
  public record Change(Setting setting, String after) {}

  /** The settings of a type. */
  static List<Setting> of(TaskTypeSettings type) {
    Map<String, Object> values = RecordCopy.valuesOf(type);
    return ALL.stream()
        .map(of -> new Setting(of, Objects.toString(values.get(of.component()), "")))
        .toList();
  }

  /** Those that a form has, as a save takes them: {@code null} for none. */
  static Map<String, Object> sent(Form form) {
    Map<String, Object> sent = new HashMap<>();
    for (TypeSetting setting : ALL) {
      if (form.has(setting.column())) {
        sent.put(setting.column(), form.given(setting.column()));
      }
    }
    return sent;
  }

  /** What the fields of a form change of a type. */
  static List<Change> changes(TaskTypeSettings type, Form form) {
    return of(type).stream()
        .filter(setting -> form.has(setting.name()))
        .map(setting -> new Change(setting, form.text(setting.name())))
        .filter(change -> !change.after().equals(change.setting().value))
        .toList();
  }
}
