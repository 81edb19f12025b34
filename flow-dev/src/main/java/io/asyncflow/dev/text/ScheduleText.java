package io.asyncflow.dev.text;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleState;
import java.util.ArrayList;
import java.util.List;

/** Schedules as lines: many in a table, or one with all that is known of it. */
public final class ScheduleText {
  private final TimeText times;
  private final List<String> lines = new ArrayList<>();

  private ScheduleText(TimeText times) {
    this.times = times;
  }

  /** One line a schedule, below a line of heads. */
  public static List<String> table(List<Schedule> schedules, TimeText times) {
    TextTable table =
        new TextTable("NAME", "STATE", "PLAN", "CREATES", "NEXT FIRE", "FIRES", "LAST ERROR");
    for (Schedule schedule : schedules) {
      table.add(
          schedule.name(),
          schedule.state().name(),
          plan(schedule.definition()),
          target(schedule.definition()),
          nextFire(schedule, times),
          Long.toString(schedule.fireCount()),
          schedule.lastError());
    }
    return table.lines();
  }

  /** All that is known of a schedule. */
  public static List<String> sheet(Schedule schedule, TimeText times) {
    ScheduleText sheet = new ScheduleText(times);
    sheet.lines.add(OneLine.of(schedule.name()));
    sheet.describeState(schedule);
    sheet.describeDefinition(schedule.definition());
    return sheet.lines;
  }

  private void describeState(Schedule schedule) {
    line("id", schedule.scheduleId());
    Long until = schedule.pauseUntil();
    line("state", schedule.state() + (until == null ? "" : " until " + times.of(until)));
    line("next fire", nextFire(schedule, times) + late(schedule.lateMs()));
    line("last fire", times.of(schedule.lastFireTime()));
    line("fires", Long.toString(schedule.fireCount()));
    if (schedule.failStreak() > 0) {
      line("failed in a row", Integer.toString(schedule.failStreak()));
    }
    line("last error", schedule.lastError());
    String owner = schedule.owner() == null ? "no server" : schedule.owner();
    line("made by", owner + ", slice " + schedule.slice() + ", epoch " + schedule.epoch());
    line("saved", times.of(schedule.createTime()));
    line("changed", times.of(schedule.modifyTime()) + ", version " + schedule.version());
  }

  /** A paused schedule has none: where it stopped may lie in the past. */
  private static String nextFire(Schedule schedule, TimeText times) {
    return times.of(schedule.state() == ScheduleState.PAUSED ? null : schedule.nextFireTime());
  }

  private static String late(long ms) {
    return ms == 0 ? "" : ", late by " + TimeText.ofDuration(ms);
  }

  private void describeDefinition(NewSchedule definition) {
    line("plan", plan(definition));
    line("creates", target(definition));
    line("not before", definition.startTime() == null ? null : times.of(definition.startTime()));
    line("until", definition.endTime() == null ? null : times.of(definition.endTime()));
    line("at most", definition.maxFires() == null ? null : definition.maxFires() + " fires");
    Overlap overlap = definition.overlap();
    line("overlap", overlap == null ? null : overlap.name());
    line("catch-up", catchUp(definition));
    line("jitter", duration(definition.jitterMs()));
    if (isPositive(definition.pauseAfterFailures())) {
      line("pauses after", definition.pauseAfterFailures() + " failures in a row");
    }
    if (isPositive(definition.revision())) {
      line("revision", definition.revision().toString());
    }
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

  private static boolean isPositive(Integer number) {
    return number != null && number > 0;
  }

  /** Nothing for what is unknown. */
  private void line(String name, String text) {
    if (text != null) {
      lines.add("  %-16s%s".formatted(name, OneLine.of(text)));
    }
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
