package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.schedule.FireGap;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.FireTimes;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * A schedule of a {@link FakeFlowServer}: its definition, where it stands, and what a pause and the
 * ends of its runs change. All times are epoch ms. Not thread-safe.
 */
final class FakeSchedule {

  /** How long before its time the server makes a fire. */
  static final long AHEAD_MS = 30_000;

  private static final int SLICES = 64;

  private final long id;
  private final long createTime;
  private final FireHistory history;
  private NewSchedule definition;
  private FireRules rules;
  private ScheduleState state = ScheduleState.ACTIVE;
  private Long nextFireTime;
  private Long wakeTime;
  private Long pauseUntil;
  private long fireCount;
  private int failStreak;
  private Long lastFireTime;
  private TriggeredRun lastRun;
  private String lastError;
  private long version;
  private long modifyTime;

  /**
   * @param definition complete
   */
  FakeSchedule(long id, NewSchedule definition, long nextFireTime, FireHistory history, long now) {
    this.id = id;
    this.version = id;
    this.createTime = now;
    this.history = history;
    define(definition, nextFireTime, now);
  }

  /**
   * Gives it another definition. An ended schedule is active again, unless all its fires are made.
   *
   * @return whether it has ended
   */
  boolean define(NewSchedule complete, Long next, long now) {
    definition = complete;
    rules = rules(id, complete);
    nextFireTime = next;
    if (complete.maxFires() != null && fireCount >= complete.maxFires()) {
      state = ScheduleState.ENDED;
      nextFireTime = null;
      wakeTime = null;
      pauseUntil = null;
    } else if (state == ScheduleState.PAUSED) {
      wakeTime = pauseUntil;
    } else {
      state = ScheduleState.ACTIVE;
      wakeTime = next == null ? null : (Long) FirePlan.wakeTime(rules, next, AHEAD_MS);
    }
    write(now);
    return state == ScheduleState.ENDED;
  }

  /** The rules of a complete definition. */
  private static FireRules rules(long id, NewSchedule schedule) {
    return new FireRules(
        id,
        timesOf(schedule.cron(), schedule.zone(), schedule.everyMs(), schedule.anchor()),
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

  private static FireTimes timesOf(String cron, String zone, Long everyMs, Long anchor) {
    if (cron != null) {
      return FireTimes.cron(cron, FireTimes.zone(zone));
    }
    return everyMs == null ? null : FireTimes.every(everyMs, anchor);
  }

  private void write(long now) {
    modifyTime = now;
  }

  /**
   * A caller has changed it.
   *
   * @param newVersion above all earlier ones
   */
  void raiseVersion(long newVersion) {
    version = newVersion;
  }

  long id() {
    return id;
  }

  String scheduleId() {
    return Long.toString(id);
  }

  NewSchedule definition() {
    return definition;
  }

  FireRules rules() {
    return rules;
  }

  FireHistory history() {
    return history;
  }

  ScheduleState state() {
    return state;
  }

  Long nextFireTime() {
    return nextFireTime;
  }

  /** What its last planned fire created; {@code null} before it. */
  TriggeredRun lastRun() {
    return lastRun;
  }

  long version() {
    return version;
  }

  /** The type of its tasks, or of the splits of its jobs. */
  String targetType() {
    return definition.jobData() == null
        ? definition.taskData().taskType()
        : definition.jobData().jobType();
  }

  /** Whether there may be something to do at this time. */
  boolean isDue(long now) {
    return wakeTime != null && wakeTime <= now;
  }

  /** When there is something to do; {@code null} if only a call or the end of a run causes it. */
  Long wakeTime() {
    return wakeTime;
  }

  /**
   * The first fire of a definition.
   *
   * @param after only later fires, unless the schedule starts later still
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if there is none before its end
   */
  static long firstFire(NewSchedule definition, long now, long after) {
    Long start = definition.startTime();
    FireTimes times = rules(0, definition).times();
    OptionalLong first =
        times == null
            ? OptionalLong.of(start == null ? now : Math.max(start, now))
            : times.next(start == null ? after : Math.max(start - 1, after));
    if (first.isEmpty() || isOver(definition, first.getAsLong())) {
      throw neverFires(definition);
    }
    return first.getAsLong();
  }

  static boolean isOver(NewSchedule definition, long time) {
    return definition.endTime() != null && time >= definition.endTime();
  }

  static FlowException neverFires(NewSchedule definition) {
    return new FlowException(
        ErrorCode.INVALID_INPUT,
        "schedule " + definition.name() + " never fires: it has no fire time before its end");
  }

  /** Whether this definition has the same fire times. */
  boolean hasPlanOf(NewSchedule other) {
    return Objects.equals(definition.cron(), other.cron())
        && Objects.equals(definition.zone(), other.zone())
        && Objects.equals(definition.everyMs(), other.everyMs())
        && Objects.equals(definition.anchor(), other.anchor())
        && Objects.equals(definition.afterMs(), other.afterMs())
        && Objects.equals(definition.startTime(), other.startTime());
  }

  /**
   * What to do with the fire times that have come.
   *
   * @param lastRunLives only for rules that depend on it
   */
  FirePlan plan(boolean lastRunLives, long now) {
    return FirePlan.of(
        rules, new FirePlan.Position(nextFireTime, fireCount, lastRunLives), now, AHEAD_MS);
  }

  /** Counts a fire that created something by plan. */
  void countPlanned(long fireTime, TriggeredRun run) {
    fireCount++;
    lastFireTime = fireTime;
    lastRun = run;
    lastError = null;
  }

  /** Counts a fire that created something beside the plan. */
  void countManual() {
    fireCount++;
  }

  /** Moves on after a plan was carried out. */
  void advance(FirePlan plan, long now) {
    nextFireTime = plan.nextFireTime();
    wakeTime = plan.wakeTime();
    if (plan.ends()) {
      state = ScheduleState.ENDED;
    }
    plan.gaps().forEach(history::add);
    write(now);
  }

  /**
   * Takes back what withdrawn fires changed.
   *
   * @param withdrawn how many they are
   * @param last the last fire before them that created something by plan; {@code null} for none
   */
  void takeBack(int withdrawn, ScheduleFire last) {
    fireCount -= withdrawn;
    lastFireTime = last == null ? null : (Long) last.fireTime();
    lastRun = last == null ? null : FireHistory.runOf(last);
  }

  /**
   * @param next the first fire without a fate
   * @param until when it resumes by itself; {@code null} if it does not
   */
  void pause(Long next, Long until, long now) {
    state = ScheduleState.PAUSED;
    nextFireTime = next;
    wakeTime = until;
    pauseUntil = until;
    write(now);
  }

  /**
   * @param catchUp whether the catch-up policy decides about the fire times of the pause; otherwise
   *     they become a gap
   */
  void resume(boolean catchUp, long now) {
    Long next = nextFireTime;
    FireTimes times = rules.times();
    if (times != null && next != null && !catchUp && next <= now) {
      Long end = definition.endTime();
      long last = end == null ? now : Math.min(now, end - 1);
      if (next <= last) {
        history.add(FireGap.paused(times, next, last));
      }
      OptionalLong after = times.next(now);
      next = after.isPresent() ? (Long) after.getAsLong() : null;
    } else if (times == null && next == null) {
      next = now; // its last run may have ended meanwhile; if it lives, it is waited for
    }
    state = next == null ? ScheduleState.ENDED : ScheduleState.ACTIVE;
    nextFireTime = next;
    wakeTime = next == null ? null : (Long) FirePlan.wakeTime(rules, next, AHEAD_MS);
    pauseUntil = null;
    failStreak = state == ScheduleState.ACTIVE ? 0 : failStreak;
    write(now);
  }

  /**
   * Records the end of a run where it decides what comes next.
   *
   * @param error why the run failed; {@code null} if it did not
   */
  void recordEnd(TriggeredRun run, TaskStatus status, String error, long now) {
    if (!rules.dependsOnEnds()) {
      return;
    }
    boolean isLast = run.equals(lastRun);
    boolean isPaced = rules.afterMs() != null;
    boolean isAwaited = isLast && (isPaced || rules.overlap() == Overlap.WAIT);
    if (status == TaskStatus.CANCELLED && !isAwaited) {
      return; // neither a failure nor a success
    }
    if (status == TaskStatus.SUCCESS) {
      failStreak = 0;
    } else if (status == TaskStatus.FAILED) {
      failStreak++;
    }
    if (isPaced && isLast && state != ScheduleState.ENDED) {
      nextFireTime = rules.nextAfterEnd(lastFireTime, now, failStreak);
    }
    lastError = error;
    if (state == ScheduleState.ACTIVE) {
      boolean pauses = rules.pauseAfterFailures() > 0 && failStreak >= rules.pauseAfterFailures();
      if (pauses) {
        String streak = failStreak == 1 ? "1 failed run" : failStreak + " failed runs in a row";
        lastError = (error == null ? "" : error + "; ") + "paused after " + streak;
      }
      state = pauses ? ScheduleState.PAUSED : ScheduleState.ACTIVE;
      wakeTime = pauses ? null : (Long) now;
    }
    write(now);
  }

  /** The schedule as the API shows it. */
  Schedule show(long now) {
    boolean isWaitedFor = state == ScheduleState.ACTIVE && nextFireTime != null;
    return new Schedule(
        scheduleId(),
        definition,
        state,
        nextFireTime,
        lastFireTime,
        fireCount,
        failStreak,
        lastError,
        isWaitedFor ? Math.max(0, now - nextFireTime) : 0,
        slice(),
        FireHistory.NODE,
        FireHistory.EPOCH,
        version,
        pauseUntil,
        createTime,
        modifyTime);
  }

  private int slice() {
    CRC32 crc = new CRC32();
    crc.update(scheduleId().getBytes(StandardCharsets.US_ASCII));
    return (int) (crc.getValue() % SLICES);
  }
}
