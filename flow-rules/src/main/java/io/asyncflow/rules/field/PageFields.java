package io.asyncflow.rules.field;

import java.util.OptionalLong;

/** The fields of a page of a list of tasks. */
public final class PageFields {

  private static final int MAX_LIMIT = 1_000;
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_CURSOR = 64;
  private static final int MAX_DIGITS = 19;

  /** What is wrong with a cursor that {@link #numberOf} does not know. */
  public static final String CURSOR_RULE = "must be a nextCursor of an earlier answer";

  private PageFields() {}

  public static int limit(FieldSource in) {
    return in.number("limit").between(1, MAX_LIMIT).or(DEFAULT_LIMIT);
  }

  /** The cursor; {@code null} if the field is absent. */
  public static String cursor(FieldSource in) {
    return in.text("cursor").ascii().max(MAX_CURSOR).value();
  }

  /**
   * The number before whose task the page begins; empty if the text is no cursor.
   *
   * @param cursor {@code null} or empty for the first page
   */
  public static OptionalLong numberOf(String cursor) {
    if (cursor == null || cursor.isEmpty()) {
      return OptionalLong.of(Long.MAX_VALUE);
    }
    boolean isNumber =
        cursor.length() <= MAX_DIGITS
            && cursor.charAt(0) != '0'
            && cursor.chars().allMatch(c -> c >= '0' && c <= '9');
    try {
      return isNumber ? OptionalLong.of(Long.parseLong(cursor)) : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // more than 63 bits
    }
  }
}
