package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A plan whose fire times are asked for: a {@code cron} or an {@code everyMs}.
 *
 * @param cron as in {@link NewSchedule#cron()}; {@code null} with {@code everyMs}
 * @param zone as in {@link NewSchedule#zone()}; it also gives {@link FirePreview#localTimes()}
 * @param everyMs as in {@link NewSchedule#everyMs()}; {@code null} with {@code cron}
 * @param anchor as in {@link NewSchedule#anchor()}, but {@code null} is 0
 * @param from fires after this epoch millisecond; {@code null} for now, by the database's clock
 * @param count the most fires, 1 to 100; {@code null} for 10
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FirePreviewRequest(
    String cron, String zone, Long everyMs, Long anchor, Long from, Integer count) {

  /** The next fires of a cron expression. */
  public static FirePreviewRequest ofCron(String expression, ZoneId zone) {
    return new FirePreviewRequest(expression, zone.getId(), null, null, null, null);
  }

  /** The next fires of an interval, with {@link NewSchedule#anchor()} 0. */
  public static FirePreviewRequest ofInterval(Duration interval) {
    return new FirePreviewRequest(null, null, interval.toMillis(), null, null, null);
  }

  /** The plan of a schedule. */
  public static FirePreviewRequest of(NewSchedule schedule) {
    return new FirePreviewRequest(
        schedule.cron(), schedule.zone(), schedule.everyMs(), schedule.anchor(), null, null);
  }

  public FirePreviewRequest from(Instant time) {
    return new FirePreviewRequest(cron, zone, everyMs, anchor, time.toEpochMilli(), count);
  }

  public FirePreviewRequest count(int fires) {
    return new FirePreviewRequest(cron, zone, everyMs, anchor, from, fires);
  }
}
