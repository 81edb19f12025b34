package io.asyncflow.api.schedule;

import java.util.List;

/**
 * The fire times that a plan would have.
 *
 * @param times epoch milliseconds, rising; fewer than asked for if the plan ends before
 * @param localTimes the same as ISO 8601 with the offset of the zone, such as {@code
 *     2026-03-29T03:00:00+02:00}
 * @param kind how the plan treats a change of the zone's offset
 */
public record FirePreview(List<Long> times, List<String> localTimes, Kind kind) {

  /** How a plan treats a change of its zone's offset. */
  public enum Kind {
    /**
     * It names hour and minute: it fires once for each local time, at the first instant after a gap
     * and at the earlier of two.
     */
    FIXED,
    /**
     * It goes by real time: hours that do not exist have no fires, and the hour that repeats fires
     * twice.
     */
    INTERVAL
  }
}
