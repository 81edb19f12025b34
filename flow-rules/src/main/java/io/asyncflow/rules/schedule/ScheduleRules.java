package io.asyncflow.rules.schedule;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.rules.TaskType;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/** What follows from a complete definition of a schedule, and from a change of it. Thread-safe. */
public final class ScheduleRules {

  /** Parsed expressions: many schedules have the same few. */
  private static final Map<String, FireTimes> CRONS = new ConcurrentHashMap<>();

  private static final int MAX_CRONS = 10_000;

  /** The number of slices. */
  public static final int SLICES = 64;

  private ScheduleRules() {}

  /**
   * The fire times of a definition.
   *
   * @return {@code null} if each fire follows from the end of the last run
   * @throws IllegalArgumentException if there are none
   */
  public static FireTimes times(NewSchedule schedule) {
    if (schedule.cron() != null) {
      if (CRONS.size() >= MAX_CRONS) {
        CRONS.clear();
      }
      return CRONS.computeIfAbsent(
          schedule.zone() + " " + schedule.cron(),
          key -> FireTimes.cron(schedule.cron(), FireTimes.zone(schedule.zone())));
    }
    return schedule.everyMs() == null
        ? null
        : FireTimes.every(schedule.everyMs(), schedule.anchor());
  }

  /** What a definition says of fires. */
  public static FireRules of(long id, NewSchedule schedule) {
    return new FireRules(
        id,
        times(schedule),
        schedule.afterMs(),
        schedule.endTime(),
        schedule.maxFires(),
        schedule.overlap(),
        schedule.catchUp(),
        schedule.catchUpMs(),
        schedule.catchUpLimit(),
        schedule.jitterMs(),
        schedule.pauseAfterFailures(),
        schedule.jobData() != null);
  }

  /**
   * The load of a definition: fires an hour times its weight, at least 1. A schedule that fires
   * after its last run counts as one fire each {@code afterMs}.
   */
  public static int load(NewSchedule schedule) {
    FireTimes times = times(schedule);
    long perHour =
        times == null ? 3_600_000 / Math.max(1_000, schedule.afterMs()) : times.firesPerHour();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, perHour * schedule.weight()));
  }

  /** The slice of a schedule, for ever. */
  public static int sliceOf(long id) {
    CRC32 crc = new CRC32();
    crc.update(Long.toString(id).getBytes(StandardCharsets.US_ASCII));
    return (int) (crc.getValue() % SLICES);
  }

  /** The task type of the target, or of the split of its jobs. */
  public static TaskType targetType(NewSchedule schedule) {
    String type =
        schedule.jobData() != null ? schedule.jobData().jobType() : schedule.taskData().taskType();
    return TaskType.parse(type).orElseThrow();
  }

  /**
   * Refuses a save that names another version.
   *
   * @param version 0 if there is no schedule of this name
   * @param ifVersion {@code null} for any
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE}
   */
  public static void requireVersion(long version, NewSchedule schedule, Long ifVersion) {
    if (ifVersion != null && ifVersion != version) {
      throw new FlowException(
          ErrorCode.CHANGED_MEANWHILE,
          version == 0
              ? "there is no schedule %s, so it has not version %s"
                  .formatted(schedule.name(), ifVersion)
              : "schedule %s has version %s, not %s"
                  .formatted(schedule.name(), version, ifVersion));
    }
  }

  /**
   * The first fire time of a definition.
   *
   * @param after epoch ms; only later ones, unless the schedule starts later still
   * @throws NeverFiresException if there is none before its end
   */
  public static long firstFire(NewSchedule schedule, long now, long after) {
    Long start = schedule.startTime();
    FireTimes times = times(schedule);
    OptionalLong first =
        times == null
            ? OptionalLong.of(start == null ? now : Math.max(start, now))
            : times.next(start == null ? after : Math.max(start - 1, after));
    if (first.isEmpty() || isOver(schedule, first.getAsLong())) {
      throw new NeverFiresException(schedule);
    }
    return first.getAsLong();
  }

  /**
   * A schedule whose definition changes.
   *
   * @param at where it stands, before any fire is withdrawn
   * @param firstWithdrawn epoch ms of the first fire that the change withdraws; {@code null} if it
   *     withdraws none
   * @param lastKept epoch ms of the last fire after now that stays; {@code null} if there is none
   */
  public record Changed(NewSchedule before, FirePosition at, Long firstWithdrawn, Long lastKept) {}

  /**
   * The next fire after a change: as before if the plan is the same, so that no fire is lost; else
   * the first one of the new plan after now and after all fires that stay.
   *
   * @throws NeverFiresException if there is none before the end of the new definition
   */
  public static Long nextFire(Changed changed, NewSchedule after, long now) {
    if (isSamePlan(changed.before(), after)
        && (changed.firstWithdrawn() != null || changed.at().state() != ScheduleState.ENDED)) {
      Long next =
          changed.firstWithdrawn() == null ? changed.at().nextFireTime() : changed.firstWithdrawn();
      boolean isSameEnd = Objects.equals(changed.before().endTime(), after.endTime());
      if (!isSameEnd && isOver(after, next == null ? now : Math.max(next, now))) {
        throw new NeverFiresException(after);
      }
      return next;
    }
    long first = firstFire(after, now, changed.lastKept() == null ? now : changed.lastKept());
    return after.afterMs() == null
        ? first
        : FireRules.afterLastFire(changed.at().lastFireTime(), first);
  }

  private static boolean isSamePlan(NewSchedule before, NewSchedule after) {
    return Objects.equals(before.cron(), after.cron())
        && Objects.equals(before.zone(), after.zone())
        && Objects.equals(before.everyMs(), after.everyMs())
        && Objects.equals(before.anchor(), after.anchor())
        && Objects.equals(before.afterMs(), after.afterMs())
        && Objects.equals(before.startTime(), after.startTime());
  }

  private static boolean isOver(NewSchedule schedule, long time) {
    return schedule.endTime() != null && time >= schedule.endTime();
  }
}
