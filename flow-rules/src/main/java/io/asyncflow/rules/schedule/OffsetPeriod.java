package io.asyncflow.rules.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * A time in which a zone keeps one offset from UTC, from one transition to the next. Within it,
 * local times and instants are one to one.
 *
 * @param begin {@code null} if there is no transition before
 * @param end {@code null} if there is no transition after
 */
record OffsetPeriod(ZoneOffset offset, ZoneOffsetTransition begin, ZoneOffsetTransition end) {

  /** The period that contains the given epoch second. */
  static OffsetPeriod at(long second, ZoneRules rules) {
    Instant instant = Instant.ofEpochSecond(second);
    return new OffsetPeriod(
        rules.getOffset(instant),
        rules.previousTransition(instant.plusSeconds(1)),
        rules.nextTransition(instant));
  }

  /** The period after this one; this one must have an end. */
  OffsetPeriod following(ZoneRules rules) {
    return new OffsetPeriod(end.getOffsetAfter(), end, rules.nextTransition(end.getInstant()));
  }

  boolean contains(long second) {
    return second >= beginSecond() && isBeforeEnd(second);
  }

  boolean isBeforeEnd(long second) {
    return end == null || second < end.toEpochSecond();
  }

  /** The first epoch second of this period. */
  long beginSecond() {
    return begin == null ? Long.MIN_VALUE : begin.toEpochSecond();
  }

  /** What the wall clock shows at the given epoch second of this period. */
  LocalDateTime wall(long second) {
    return LocalDateTime.ofEpochSecond(second, 0, offset);
  }

  /** The epoch second at which the wall clock would show a time if the offset never changed. */
  long second(LocalDateTime wall) {
    return wall.toEpochSecond(offset);
  }

  /** What the wall clock shows first; this period must have a beginning. */
  LocalDateTime firstWall() {
    return begin.getDateTimeAfter();
  }

  /**
   * The latest second that the clock has shown by the time at which it shows {@code wall} in this
   * period. It is later than {@code wall} only where the clock was set back.
   */
  LocalDateTime latestShown(LocalDateTime wall) {
    if (begin == null || !begin.isOverlap()) {
      return wall;
    }
    LocalDateTime shown = begin.getDateTimeBefore().minusSeconds(1);
    return wall.isBefore(shown) ? shown : wall;
  }
}
