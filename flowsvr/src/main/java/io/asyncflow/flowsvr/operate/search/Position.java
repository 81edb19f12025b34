package io.asyncflow.flowsvr.operate.search;

import io.asyncflow.api.find.SearchOrder;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the order of a search. A cursor is the place of the last entry that was looked at.
 *
 * @param order a due time; the number again in the order of creation
 * @param number of the task
 */
record Position(long order, long number) {

  static final Comparator<Position> ASCENDING =
      Comparator.comparingLong(Position::order).thenComparingLong(Position::number);

  private static final Pattern CURSOR = Pattern.compile("([NDL])(-?[0-9]{1,19})_([0-9]{1,19})");

  /** The first entry of this order comes first. */
  static Comparator<Position> in(SearchOrder order) {
    return order == SearchOrder.DUE ? ASCENDING : ASCENDING.reversed();
  }

  String cursor(SearchOrder order) {
    return order.name().charAt(0) + "" + this.order + "_" + number;
  }

  /** The place that a cursor of this order names; empty if it is none. */
  static Optional<Position> parse(String cursor, SearchOrder order) {
    Matcher found = CURSOR.matcher(cursor);
    if (!found.matches() || found.group(1).charAt(0) != order.name().charAt(0)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Position(Long.parseLong(found.group(2)), Long.parseLong(found.group(3))));
    } catch (NumberFormatException e) {
      return Optional.empty(); // more than 63 bits
    }
  }
}
