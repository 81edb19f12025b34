package io.asyncflow.api;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The settings of a task type, a component of {@link TaskTypeSettings} and a column of {@code
 * t_schedule_cfg} each. A save outside of the range is refused. The order is that of forms.
 */
public enum TypeSetting {
  MAX_PROCESSING_TIME("time", 1, 946_080_000, 30L), // 30 years
  LEASE_SECONDS("time", 1, 86_400, 30L),
  SCHEDULE_INTERVAL("time", 1, 86_400, 10L),
  MAX_RETRY_NUM("retry", 0, 10_000, 3L),
  RETRY_INTERVAL("retry", -31_536_000, 31_536_000, 10L), // a year
  MAX_RETRY_INTERVAL("retry", 0, 31_536_000, null),
  MAX_UNEXPECTED_RETRIES("retry", 0, 10_000, null),
  MAX_DELIVERY("retry", 1, 10_000, 10L),
  MAX_EXECUTING("limit", 0, 1_000_000, 0L, true),
  RATE_LIMIT("limit", 0, 1_000_000, 0L, true),
  USER_RATE_LIMIT("limit", 0, 1_000_000, 0L),
  SCHEDULE_LIMIT("limit", 1, 1_000, 100L),
  MIN_WORKER_VERSION("limit", 0, 1_000_000_000, 0L),
  ROLL_THRESHOLD("data", 1, 1_000_000_000_000L, 5_000_000L),
  RETENTION_DAYS("data", 0, 36_500, 0L),
  EVENTS("data", 0, 2, 0L),
  SEALED("data", -1, 1, 0L),
  PAUSED(null, 0, 1, 0L, true);

  private static final Map<String, TypeSetting> BY_COMPONENT = ofComponents();

  private final String component =
      Pattern.compile("_(.)")
          .matcher(column())
          .replaceAll(part -> part.group(1).toUpperCase(Locale.ROOT));
  private final String group;
  private final long min;
  private final long max;
  private final Long usual;
  private final boolean tuned;

  TypeSetting(String group, long min, long max, Long usual) {
    this(group, min, max, usual, false);
  }

  /**
   * @param group the heading under which forms show it; {@code null} if they do not
   * @param usual the default of a new type; {@code null} if a type need not have the setting
   * @param tuned whether {@code TYPE_TUNE} is enough to change it
   */
  TypeSetting(String group, long min, long max, Long usual, boolean tuned) {
    this.group = group;
    this.min = min;
    this.max = max;
    this.usual = usual;
    this.tuned = tuned;
  }

  private static Map<String, TypeSetting> ofComponents() {
    Map<String, TypeSetting> settings = new LinkedHashMap<>();
    for (String component : RecordCopy.valuesOf(TaskTypeSettings.named("")).keySet()) {
      Arrays.stream(values())
          .filter(setting -> setting.component.equals(component))
          .forEach(setting -> settings.put(component, setting));
    }
    return Collections.unmodifiableMap(settings);
  }

  /** All by their {@link #component}, in the order of the record. */
  public static Map<String, TypeSetting> byComponent() {
    return BY_COMPONENT;
  }

  /**
   * The settings of a type.
   *
   * @param values of each, asked in the order of the record; {@code null} for none
   */
  public static TaskTypeSettings settings(String taskType, Function<TypeSetting, Long> values) {
    Map<String, Object> components = new HashMap<>();
    BY_COMPONENT.forEach(
        (component, setting) -> components.put(component, setting.boxed(values.apply(setting))));
    return RecordCopy.with(TaskTypeSettings.named(taskType), components);
  }

  /** The settings that are not {@code null}, by their {@link #component}. */
  public static Map<String, Object> given(TaskTypeSettings settings) {
    Map<String, Object> values = RecordCopy.valuesOf(settings);
    values.keySet().retainAll(BY_COMPONENT.keySet());
    values.values().removeIf(Objects::isNull);
    return values;
  }

  private Number boxed(Long value) {
    if (value == null || isLong()) {
      return value;
    }
    return value.intValue();
  }

  /** The one with this name on the wire. */
  public static Optional<TypeSetting> ofColumn(String column) {
    return Arrays.stream(values()).filter(setting -> setting.column().equals(column)).findFirst();
  }

  /** Its name on the wire. */
  public String column() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its name in {@link TaskTypeSettings}. */
  public String component() {
    return component;
  }

  /** The heading under which forms show it; {@code null} if they do not. */
  public String group() {
    return group;
  }

  public long min() {
    return min;
  }

  public long max() {
    return max;
  }

  /** Whether its values have more than 32 bits. */
  public boolean isLong() {
    return max > Integer.MAX_VALUE;
  }

  /** The default of a new type; {@code null} if a type need not have the setting. */
  public Long usual() {
    return usual;
  }

  /** Whether {@code TYPE_TUNE} is enough to change it. */
  public boolean isTuned() {
    return tuned;
  }

  /** The value, or the default of a new type in the place of {@code null}. */
  public int orUsual(Integer value) {
    return value == null ? usual.intValue() : value;
  }

  public int clamp(int value) {
    return (int) clamp((long) value);
  }

  /** The nearest value in the range. */
  public long clamp(long value) {
    return Math.min(Math.max(value, min), max);
  }
}
