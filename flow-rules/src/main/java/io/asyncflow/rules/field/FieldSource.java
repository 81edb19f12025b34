package io.asyncflow.rules.field;

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

  /** Refuses a list that has too few or too many items; returns whether it did. */
  default boolean refuseSize(String name, int size, int min, int max) {
    if (min <= size && size <= max) {
      return false;
    }
    refuse(name, "must have " + min + " to " + max + " items, not " + size);
    return true;
  }
}
