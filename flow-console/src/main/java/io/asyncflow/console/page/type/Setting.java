package io.asyncflow.console.page.type;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.console.frame.Form;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A setting of a type, as a form has it.
 *
 * @param name as the call of a save has it
 * @param group the key of the heading under which it stands
 * @param value empty if the type has none
 * @param usual the default for a new type; empty if it is none
 */
public record Setting(String name, String group, String value, String usual) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** What {@code TYPE_TUNE} changes, and not {@code TYPE_SAVE} alone. */
  private static final Set<String> TUNED = Set.of("max_executing", "rate_limit");

  /** Name, group and default of all settings that a form can change, in their order. */
  private static final List<Setting> ALL =
      List.of(
          of("max_processing_time", "time", "30"),
          of("lease_seconds", "time", "30"),
          of("schedule_interval", "time", "10"),
          of("max_retry_num", "retry", "3"),
          of("retry_interval", "retry", "10"),
          of("max_retry_interval", "retry", ""),
          of("max_unexpected_retries", "retry", ""),
          of("max_delivery", "retry", "10"),
          of("max_executing", "limit", "0"),
          of("rate_limit", "limit", "0"),
          of("user_rate_limit", "limit", "0"),
          of("schedule_limit", "limit", "100"),
          of("min_worker_version", "limit", "0"),
          of("roll_threshold", "data", "5000000"),
          of("retention_days", "data", "0"),
          of("events", "data", "0"),
          of("sealed", "data", "0"));

  private static Setting of(String name, String group, String usual) {
    return new Setting(name, group, "", usual);
  }

  /** Whether those may change it who may change no other settings. */
  public boolean isTuned() {
    return TUNED.contains(name);
  }

  /**
   * A setting that a form changes.
   *
   * @param after empty if the type is to have none
   */
  public record Change(Setting setting, String after) {}

  /** The settings of a type. */
  static List<Setting> of(TaskTypeSettings type) {
    JsonNode values = JSON.valueToTree(type);
    return ALL.stream()
        .map(
            setting -> {
              JsonNode value = values.path(setting.name);
              return new Setting(
                  setting.name,
                  setting.group,
                  value.isNull() ? "" : value.asString(),
                  setting.usual);
            })
        .toList();
  }

  /** Those that a form has, as a save takes them: {@code null} for none. */
  static Map<String, Object> sent(Form form) {
    Map<String, Object> sent = new HashMap<>();
    for (Setting setting : ALL) {
      if (form.has(setting.name)) {
        sent.put(setting.name, form.given(setting.name));
      }
    }
    return sent;
  }

  /** What the fields of a form change of a type. */
  static List<Change> changes(TaskTypeSettings type, Form form) {
    return of(type).stream()
        .filter(setting -> form.has(setting.name))
        .map(setting -> new Change(setting, form.text(setting.name)))
        .filter(change -> !change.after().equals(change.setting().value))
        .toList();
  }
}
