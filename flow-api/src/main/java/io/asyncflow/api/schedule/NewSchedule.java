package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.RecordCopy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The definition of a schedule. It has one plan ({@code cron}, {@code everyMs} or {@code afterMs})
 * and one target ({@code taskData} or {@code jobData}). Every other field may be {@code null} for
 * its default. The server checks all fields at the save.
 *
 * @param name unique; a save with this name changes the schedule; at most 128 characters
 * @param cron six fields, or five without seconds, or a macro such as {@code @daily}; at most 256
 *     characters
 * @param zone an IANA time zone id for {@code cron}; {@code null} is UTC
 * @param everyMs milliseconds between two fires, 1,000 to 366 days
 * @param anchor with {@code everyMs}: fires lie whole multiples of it from this epoch millisecond,
 *     or from this offset if it is below {@code everyMs}; {@code null} for one that follows from
 *     the name, so that not all schedules fire at once
 * @param afterMs milliseconds from the end of a run to the next, 1,000 to 366 days; doubled with
 *     each failure in a row, at most 64 times as long
 * @param taskData the task that each fire creates, without {@code idempotencyKey}, {@code delayMs}
 *     and {@code runAt}; at most 8 KiB as JSON, and its type must exist
 * @param jobData the job that each fire creates; the same limits
 * @param startTime no fire before this epoch millisecond; {@code null} for no limit
 * @param endTime no fire from this epoch millisecond on; {@code null} for no limit
 * @param maxFires fires that created something, after which the schedule ends; {@code null} for no
 *     limit
 * @param overlap while the last run lives; {@code null} is {@link Overlap#ALLOW}
 * @param catchUp for missed fires; {@code null} is {@link CatchUp#LATEST}
 * @param catchUpMs fires that are later than this are missed for good, 0 to 366 days in
 *     milliseconds; {@code null} is 7 days
 * @param catchUpLimit the most fires that are caught up, the newest; 1 to 1,000; {@code null} is
 *     100
 * @param jitterMs tasks become due up to this many milliseconds after their fire time, 0 to
 *     86,400,000; {@code null} is 0
 * @param pauseAfterFailures failed runs in a row after which the schedule pauses itself; {@code
 *     null} and 0 for never
 * @param weight the load of one fire beside those of other schedules, 1 to 1,000; {@code null} is 1
 * @param revision a save with a lower one than the schedule's changes nothing; {@code null} is 0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NewSchedule(
    String name,
    String cron,
    String zone,
    Long everyMs,
    Long anchor,
    Long afterMs,
    NewTask taskData,
    NewJob jobData,
    Long startTime,
    Long endTime,
    Long maxFires,
    Overlap overlap,
    CatchUp catchUp,
    Long catchUpMs,
    Integer catchUpLimit,
    Integer jitterMs,
    Integer pauseAfterFailures,
    Integer weight,
    Integer revision) {

  /**
   * A schedule that fires by a cron expression, read in this time zone.
   *
   * @param zone a region such as {@code Europe/Berlin}, or UTC; flowsvr refuses other offsets
   */
  public static NewSchedule cron(String name, String expression, ZoneId zone) {
    // The id of ZoneOffset.UTC is Z, which is no time zone of IANA.
    String id = zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    return planned(name, expression, id, null, null);
  }

  /** A schedule that fires once every {@code interval}, in whole milliseconds. */
  public static NewSchedule every(String name, Duration interval) {
    return planned(name, null, null, interval.toMillis(), null);
  }

  /** A schedule whose next run begins this long after the end of the last, at least a second. */
  public static NewSchedule after(String name, Duration pause) {
    return planned(name, null, null, null, pause.toMillis());
  }

  private static NewSchedule planned(
      String name, String cron, String zone, Long everyMs, Long afterMs) {
    return new NewSchedule(
        name, cron, zone, everyMs, null, afterMs, null, null, null, null, null, null, null, null,
        null, null, null, null, null);
  }

  /** Each fire creates this task. */
  public NewSchedule creating(NewTask task) {
    return with("taskData", task).with("jobData", null);
  }

  /** Each fire creates this job. */
  public NewSchedule creating(NewJob job) {
    return with("taskData", null).with("jobData", job);
  }

  /** Fires lie whole multiples of the interval from this time. */
  public NewSchedule anchor(Instant time) {
    return with("anchor", time.toEpochMilli());
  }

  /** No fire before this time. */
  public NewSchedule startTime(Instant time) {
    return with("startTime", time.toEpochMilli());
  }

  /** No fire at this time or later. */
  public NewSchedule endTime(Instant time) {
    return with("endTime", time.toEpochMilli());
  }

  /** The schedule ends after so many fires that created something. */
  public NewSchedule maxFires(long fires) {
    return with("maxFires", fires);
  }

  /** What a fire does while the last run has not ended. */
  public NewSchedule overlap(Overlap policy) {
    return with("overlap", policy);
  }

  /** What happens to fires that no server could make in time. */
  public NewSchedule catchUp(CatchUp policy) {
    return with("catchUp", policy);
  }

  /** How late a fire may be caught up. */
  public NewSchedule catchUpWithin(Duration lateness) {
    return with("catchUpMs", lateness.toMillis());
  }

  /** The most fires that are caught up. */
  public NewSchedule catchUpLimit(int fires) {
    return with("catchUpLimit", fires);
  }

  /** Tasks become due up to this long after their fire time. */
  public NewSchedule jitter(Duration atMost) {
    return with("jitterMs", Math.toIntExact(atMost.toMillis()));
  }

  /** The schedule pauses itself after so many failed runs in a row. */
  public NewSchedule pauseAfterFailures(int runs) {
    return with("pauseAfterFailures", runs);
  }

  /** The load of one fire beside those of other schedules. */
  public NewSchedule weight(int load) {
    return with("weight", load);
  }

  /**
   * Raise it with each change of the definition: while old and new instances of an application run
   * side by side, the old ones then do not undo the change.
   */
  public NewSchedule revision(int number) {
    return with("revision", number);
  }

  private NewSchedule with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
