package io.asyncflow.rules.field;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A field read as a set of names. */
public final class NamesField {

  private final FieldSource fields;
  private final String name;
  private final boolean isGiven;
  private List<String> values;
  private boolean isRefused;

  /**
   * @param values {@code null} if the field is absent
   */
  public NamesField(FieldSource fields, String name, List<String> values) {
    this.fields = fields;
    this.name = name;
    this.isGiven = values != null;
    this.values = values == null ? List.of() : values;
  }

  /** A field that holds no names, which is refused. */
  public static NamesField invalid(FieldSource fields, String name, String message) {
    NamesField field = new NamesField(fields, name, List.of());
    field.refuse(message);
    return field;
  }

  /** At most so many names of at most so many characters each. */
  public NamesField max(int names, int characters) {
    if (values.size() > names) {
      refuse("must name at most " + names);
    } else if (values.stream().anyMatch(v -> v.codePointCount(0, v.length()) > characters)) {
      refuse("must have names of at most " + characters + " characters");
    } else if (values.stream().anyMatch(v -> !isName(v))) {
      refuse("must name only what can be a name");
    }
    return this;
  }

  /** At least one name, unless the field is absent. */
  public NamesField notEmpty() {
    if (isGiven && values.isEmpty() && !isRefused) {
      refuse("must name at least one");
    }
    return this;
  }

  /** Whether a text of any length can be a name; see {@link TextField#name}. */
  public static boolean isName(String text) {
    return !text.isEmpty()
        && text.equals(text.strip())
        && text.chars().noneMatch(Character::isISOControl)
        && !TextField.hasLoneSurrogate(text);
  }

  /** The names in the order given; empty where there are none. */
  public Set<String> values() {
    return new LinkedHashSet<>(values);
  }

  private void refuse(String message) {
    values = List.of();
    isRefused = true;
    fields.refuse(name, message);
  }
}
