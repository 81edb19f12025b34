package io.asyncflow.console.page.schedule;

import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.TypeNames;
import java.util.List;

/** What the templates of schedules show. */
public final class ScheduleViews {

  /** A fire that is made later than this after its time was late. */
  private static final long LATE_MS = 1_000;

  private ScheduleViews() {}

  /**
   * @param state that is asked for; empty for all, as with the type
   * @param older the address of the next page; {@code null} on the last
   * @param types that the field suggests
   */
  public record Listed(
      List<Schedule> schedules, String state, String type, String older, TypeNames types) {}

  /**
   * @param next {@code null} if nobody can tell its next fires
   * @param older the address of older fires; {@code null} on the last page
   */
  public record Shown(
      Schedule schedule,
      List<Act> acts,
      FirePreview next,
      List<ScheduleFire> fires,
      List<ScheduleGap> gaps,
      String older,
      JsonTree creates) {}

  /** The plan of a schedule in a few words. */
  public static String plan(Frame frame, NewSchedule schedule) {
    if (schedule.cron() != null) {
      return schedule.cron();
    }
    return schedule.everyMs() != null
        ? frame.t("schedule.every", frame.amounts().duration(schedule.everyMs()))
        : frame.t("schedule.after", frame.amounts().duration(schedule.afterMs()));
  }

  /** The type of what it creates. */
  public static String type(NewSchedule schedule) {
    return schedule.taskData() != null
        ? schedule.taskData().taskType()
        : schedule.jobData() == null ? "" : schedule.jobData().jobType();
  }

  /** How late a fire was made; 0 if it was not late. */
  public static long lateMs(ScheduleFire fire) {
    long late = fire.makeTime() - fire.fireTime();
    return !fire.manual() && late > LATE_MS ? late : 0;
  }
}
