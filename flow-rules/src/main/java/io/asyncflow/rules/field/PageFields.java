package io.asyncflow.rules.field;

import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/** The fields of a page of a list. */
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

  /** The cursor of a list of tasks; {@code null} if the field is absent. */
  public static String cursor(FieldSource in) {
    return in.text("cursor").ascii().max(MAX_CURSOR).value();
  }

  /** The number before which a page of jobs or schedules begins. */
  public static long before(FieldSource in) {
    Long before = in.text("cursor").as(PageFields::number, CURSOR_RULE);
    return before == null ? Long.MAX_VALUE : before;
  }

  /** The place at which a page of a job's children begins. */
  public static int from(FieldSource in) {
    Integer from = in.text("cursor").as(PageFields::index, CURSOR_RULE);
    return from == null ? 0 : from;
  }

  /** The values that a text names, separated by commas; empty if one of them is none. */
  static <T> Optional<Set<T>> choices(String text, Function<String, Optional<T>> parser) {
    Set<T> chosen = new HashSet<>();
    for (String name : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      Optional<T> one = parser.apply(name);
      if (one.isEmpty()) {
        return Optional.empty();
      }
      chosen.add(one.get());
    }
    return Optional.of(chosen);
  }

  /** The number of a job, a schedule, a hook or a bulk; empty if the text is none. */
  public static Optional<Long> number(String text) {
    return text.matches("[1-9][0-9]{0,17}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }

  private static Optional<Integer> index(String text) {
    return text.matches("[0-9]{1,8}") ? Optional.of(Integer.parseInt(text)) : Optional.empty();
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
