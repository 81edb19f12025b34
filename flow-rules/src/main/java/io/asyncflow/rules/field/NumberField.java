package io.asyncflow.rules.field;

/**
 * A field read as a whole number. After its first error a field is {@code null} and not checked
 * further.
 */
public final class NumberField {

  private static final long LEAST_EPOCH_MS = 100_000_000_000L; // in 1973; as seconds in 5138
  private static final long LEAST_EPOCH_S = 1_000_000_000L; // in 2001
  private static final long END_OF_9999_MS = 253_402_300_799_999L;

  private final FieldSource fields;
  private final String name;
  private Long value;
  private boolean invalid;

  /**
   * @param value {@code null} if the field is absent
   */
  public NumberField(FieldSource fields, String name, Long value) {
    this.fields = fields;
    this.name = name;
    this.value = value;
  }

  /** A field that holds no whole number, which is refused. */
  public static NumberField invalid(FieldSource fields, String name) {
    NumberField field = new NumberField(fields, name, null);
    field.refuse("must be a whole number");
    return field;
  }

  public NumberField required() {
    if (value == null && !invalid) {
      refuse("is required");
    }
    return this;
  }

  public NumberField between(long min, long max) {
    if (value != null && (value < min || value > max)) {
      refuse("must be between " + min + " and " + max);
    }
    return this;
  }

  /**
   * A moment in epoch milliseconds, up to the year 9999, or 0. A value that looks like seconds is
   * refused: as milliseconds it would be in 1970 and due at once.
   */
  public NumberField epochMs() {
    between(0, END_OF_9999_MS);
    if (value != null && value > 0 && value < LEAST_EPOCH_MS && !fields.hasEarlyClock()) {
      refuse("must be epoch milliseconds; " + value + " looks like seconds: multiply it by 1000");
    }
    return this;
  }

  /**
   * As {@link #epochMs}, or any offset below {@code bound}, or below what are seconds since 1970 in
   * this century.
   */
  public NumberField epochMsOrOffset(long bound) {
    return value != null && value >= 0 && value < Math.max(bound, LEAST_EPOCH_S) ? this : epochMs();
  }

  /** The number, or {@code null}. */
  public Long asLong() {
    return value;
  }

  /** The number, or {@code null}; an error if it has more than 32 bits. */
  public Integer asInteger() {
    between(Integer.MIN_VALUE, Integer.MAX_VALUE);
    return value == null ? null : value.intValue();
  }

  /** The number, or {@code absent} where there is none. */
  public int or(int absent) {
    Integer number = asInteger();
    return number == null ? absent : number;
  }

  private void refuse(String message) {
    invalid = true;
    value = null;
    fields.refuse(name, message);
  }
}
