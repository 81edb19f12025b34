package io.asyncflow.api.schedule;

import java.util.Set;

/**
 * The filter and the page of a list of schedules.
 *
 * @param states only schedules in one of these; empty for all
 * @param taskType only schedules that create tasks of this type or jobs of it, matched without
 *     regard to case; {@code null} for all
 * @param limit the most schedules in a page, 1 to 1,000; {@code null} for 100
 * @param cursor the last page's {@link SchedulePage#nextCursor()}; {@code null} for the first page
 */
public record ScheduleListRequest(
    Set<ScheduleState> states, String taskType, Integer limit, String cursor) {

  public ScheduleListRequest {
    states = Set.copyOf(states);
  }

  /** The first page of all schedules. */
  public static ScheduleListRequest all() {
    return new ScheduleListRequest(Set.of(), null, null, null);
  }

  /**
   * The page that follows the one with this {@code nextCursor}; the first page for {@code null}.
   */
  public ScheduleListRequest withCursor(String nextCursor) {
    return new ScheduleListRequest(states, taskType, limit, nextCursor);
  }
}
