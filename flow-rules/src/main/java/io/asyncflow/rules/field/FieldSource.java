package io.asyncflow.rules.field;

import static java.util.stream.Collectors.toUnmodifiableSet;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The fields of one object that a caller sent. A field is read by its name and checked step by
 * step; each step that fails refuses it, and the call is refused with all of them at once.
 */
public interface FieldSource {

  /** Whether the field is present and not {@code null}. */
  boolean has(String name);

  TextField text(String name);

  NumberField number(String name);

  NamesField names(String name);

  /** A truth value; {@code null} if the field is absent. */
  Boolean flag(String name);

  /**
   * A text that is only displayed; it is never refused. Characters that cannot be stored become
   * U+FFFD.
   *
   * @return empty if the field is absent
   */
  String prose(String name);

  /** The fields of an object; without fields if the object is absent. */
  FieldSource object(String name);

  /** The fields of each object in a list; the list is required unless {@code min} is 0. */
  List<? extends FieldSource> objects(String name, int min, int max);

  /** The size of all fields as JSON. */
  int jsonBytes();

  /** Refuses every field that is not among {@code known}. */
  void refuseUnknown(Set<String> known);

  /**
   * The names of the fields of a record of the contract.
   *
   * @param more names that are refused by other rules
   */
  static Set<String> namesOf(Class<? extends Record> type, String... more) {
    return Stream.concat(
            Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName),
            Arrays.stream(more))
        .collect(toUnmodifiableSet());
  }

  /**
   * Records that a field is invalid.
   *
   * @param message continues after the field's name
   */
  void refuse(String name, String message);

  /** Records that a field is too large, which has its own error code. */
  void refuseAsTooLarge(String name, String message);

  /** How many bytes a text may have where a form allows this many. */
  default int mostBytes(String name, int ofForm) {
    return ofForm;
  }

  /** Whether small numbers are moments, too, because the clock stands in the first years. */
  default boolean hasEarlyClock() {
    return false;
  }

  /** Refuses a list that has too few or too many items; returns whether it did. */
  default boolean refuseSize(String name, int size, int min, int max) {
    if (min <= size && size <= max) {
      return false;
    }
    refuse(name, "must have " + min + " to " + max + " items, not " + size);
    return true;
  }

  /**
   * Refuses a wrong name of the field {@code rightName}, which would otherwise be ignored as an
   * unknown field.
   */
  default void refuseMisnomer(String name, String rightName) {
    if (has(name)) {
      refuse(name, "is not known here; the field is called " + rightName);
    }
  }

  /** Refuses a field of similar calls, which would otherwise be ignored as an unknown field. */
  default void refuseMisplaced(String name, String why) {
    if (has(name)) {
      refuse(name, "is not known here: " + why);
    }
  }
}
