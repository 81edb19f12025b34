package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.RecordCopy;
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
 * @param startTime as in {@link NewSchedule#startTime()}
 * @param endTime as in {@link NewSchedule#endTime()}
 * @param maxFires how many fires are left; 0 for none, {@code null} for no limit
 * @param from fires after this epoch millisecond; {@code null} for now, by the database's clock
 * @param count the most fires, 1 to 100; {@code null} for 10
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FirePreviewRequest(
    String cron,
    String zone,
    Long everyMs,
    Long anchor,
    Long startTime,
    Long endTime,
    Long maxFires,
    Long from,
    Integer count) {

  /** The next fires of a cron expression. */
  public static FirePreviewRequest ofCron(String expression, ZoneId zone) {
    return of(NewSchedule.cron(null, expression, zone));
  }

  /** The next fires of an interval, with {@link NewSchedule#anchor()} 0. */
  public static FirePreviewRequest ofInterval(Duration interval) {
    return of(NewSchedule.every(null, interval));
  }

  /** The plan of a schedule that has not fired. */
  public static FirePreviewRequest of(NewSchedule schedule) {
    return new FirePreviewRequest(
        schedule.cron(),
        schedule.zone(),
        schedule.everyMs(),
        schedule.anchor(),
        schedule.startTime(),
        schedule.endTime(),
        schedule.maxFires(),
        null,
        null);
  }

  /**
   * What is left of a schedule: none of its fires if it has ended, and no more than its {@code
   * maxFires} allows. The fires of a paused one are those that a resume now would leave.
   */
  public static FirePreviewRequest of(Schedule schedule) {
    FirePreviewRequest plan = of(schedule.definition());
    if (schedule.state() == ScheduleState.ENDED) {
      return plan.within(plan.startTime, 0L);
    }
    if (plan.maxFires == null) {
      return plan;
    }
    // What is made ahead counts as made, and comes before the next fire.
    Long next = schedule.nextFireTime();
    boolean isLater = next != null && (plan.startTime == null || next > plan.startTime);
    return plan.within(
        isLater ? next : plan.startTime, Math.max(0, plan.maxFires - schedule.fireCount()));
  }

  private FirePreviewRequest within(Long start, Long fires) {
    return with("startTime", start).with("maxFires", fires);
  }

  public FirePreviewRequest from(Instant time) {
    return with("from", time.toEpochMilli());
  }

  public FirePreviewRequest count(int fires) {
    return with("count", fires);
  }

  private FirePreviewRequest with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
