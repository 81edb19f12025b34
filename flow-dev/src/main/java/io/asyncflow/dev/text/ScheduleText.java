package io.asyncflow.dev.text;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.api.schedule.ScheduleState;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What is shown of schedules. */
public final class ScheduleText {

  public static final Layout<Schedule> TABLE =
      new Layout<Schedule>()
          .value("NAME", Schedule::name)
          .value("STATE", Schedule::state)
          .value("PLAN", schedule -> plan(schedule.definition()))
          .value("CREATES", schedule -> target(schedule.definition()))
          .time("NEXT FIRE", ScheduleText::nextFire)
          .value("FIRES", Schedule::fireCount)
          .value("LAST ERROR", Schedule::lastError);

  public static final Layout<Schedule> SHEET =
      new Layout<>(Schedule::name)
          .value("id", Schedule::scheduleId)
          .text("state", ScheduleText::state)
          .text("next fire", (one, times) -> times.of(nextFire(one)) + late(one.lateMs()))
          .text("last fire", (one, times) -> times.of(one.lastFireTime()))
          .value("fires", Schedule::fireCount)
          .value("failed in a row", one -> positive(one.failStreak(), ""))
          .value("last error", Schedule::lastError)
          .value("made by", ScheduleText::maker)
          .time("saved", Schedule::createTime)
          .text(
              "changed", (one, times) -> times.of(one.modifyTime()) + ", version " + one.version())
          .value("plan", one -> plan(one.definition()))
          .value("creates", one -> target(one.definition()))
          .time("not before", one -> one.definition().startTime())
          .time("until", one -> one.definition().endTime())
          .value("at most", one -> positive(one.definition().maxFires(), " fires"))
          .value("overlap", one -> one.definition().overlap())
          .value("catch-up", one -> catchUp(one.definition()))
          .value("jitter", one -> duration(one.definition().jitterMs()))
          .value(
              "pauses after",
              one -> positive(one.definition().pauseAfterFailures(), " failures in a row"))
          .value("revision", one -> positive(one.definition().revision(), ""));

  /** A fire or a gap, at its time. */
  private record Past(long time, String outcome, TaskStatus ended, Long costMs, String run) {}

  private static final Layout<Past> HISTORY =
      new Layout<Past>()
          .time("FIRE TIME", Past::time)
          .value("OUTCOME", Past::outcome)
          .value("ENDED", Past::ended)
          .span("AFTER", Past::costMs)
          .value("RUN", Past::run);

  private ScheduleText() {}

  /** A line a fire and a line a gap, newest first; empty for a schedule without history. */
  public static List<String> history(FirePage page, TimeText times) {
    List<Past> past =
        Stream.concat(
                page.fireList().stream().map(ScheduleText::past),
                page.gapList().stream().map(ScheduleText::past))
            .sorted(Comparator.comparingLong(Past::time).reversed())
            .toList();
    return past.isEmpty() ? List.of() : HISTORY.table(past, times);
  }

  private static Past past(ScheduleFire fire) {
    return new Past(
        fire.fireTime(),
        fire.outcome() + (fire.manual() ? ", by hand" : ""),
        fire.status() == null ? null : TaskStatus.ofCode(fire.status()),
        fire.costMs(),
        fire.jobId() == null ? fire.taskId() : "job " + fire.jobId());
  }

  private static Past past(ScheduleGap gap) {
    String fires = gap.fires() == 1 ? "" : ", " + gap.fires() + " fires from here on";
    return new Past(gap.fromTime(), gap.reason() + fires, null, null, null);
  }

  private static String state(Schedule schedule, TimeText times) {
    Long until = schedule.pauseUntil();
    return schedule.state() + (until == null ? "" : " until " + times.of(until));
  }

  private static String maker(Schedule schedule) {
    String owner = schedule.owner() == null ? "no server" : schedule.owner();
    return owner + ", slice " + schedule.slice() + ", epoch " + schedule.epoch();
  }

  /** A paused schedule has none: where it stopped may lie in the past. */
  private static Long nextFire(Schedule schedule) {
    return schedule.state() == ScheduleState.PAUSED ? null : schedule.nextFireTime();
  }

  private static String late(long ms) {
    return ms == 0 ? "" : ", late by " + TimeText.ofDuration(ms);
  }

  private static String catchUp(NewSchedule definition) {
    CatchUp policy = definition.catchUp();
    if (policy == null) {
      return null;
    }
    String within = duration(definition.catchUpMs());
    String most = policy == CatchUp.ALL ? ", at most " + definition.catchUpLimit() : "";
    return policy + (within == null ? "" : " within " + within) + most;
  }

  private static String duration(Number ms) {
    return ms == null || ms.longValue() == 0 ? null : TimeText.ofDuration(ms.longValue());
  }

  private static String positive(Number number, String unit) {
    return number == null || number.longValue() <= 0 ? null : number + unit;
  }

  /** When it fires. */
  public static String plan(NewSchedule definition) {
    if (definition.cron() != null) {
      String zone = definition.zone() == null ? "UTC" : definition.zone();
      return definition.cron() + " " + zone;
    }
    return definition.everyMs() != null
        ? "every " + TimeText.ofDuration(definition.everyMs())
        : TimeText.ofDuration(definition.afterMs()) + " after the end of a run";
  }

  private static String target(NewSchedule definition) {
    return definition.taskData() != null
        ? "task " + definition.taskData().taskType() + "/" + definition.taskData().taskStage()
        : "job " + definition.jobData().jobType();
  }
}
