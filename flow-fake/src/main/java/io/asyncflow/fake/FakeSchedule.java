package io.asyncflow.fake;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.RunEffect;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.nio.charset.StandardCharsets;
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
    rules = ScheduleRules.of(id, complete);
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
    return ScheduleRules.targetType(definition).name();
  }

  /** Whether there may be something to do at this time. */
  boolean isDue(long now) {
    return wakeTime != null && wakeTime <= now;
  }

  /** When there is something to do; {@code null} if only a call or the end of a run causes it. */
  Long wakeTime() {
    return wakeTime;
  }

  /** Where it stands, for a change that withdraws and keeps these fires. */
  ScheduleRules.Changed changed(Long firstWithdrawn, Long lastKept) {
    return new ScheduleRules.Changed(
        definition,
        state == ScheduleState.ENDED,
        nextFireTime,
        lastFireTime,
        firstWithdrawn,
        lastKept);
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
    FireRules.Resumed resumed = rules.resume(nextFireTime, lastFireTime, catchUp, now);
    if (resumed.gap() != null) {
      history.add(resumed.gap());
    }
    Long next = resumed.nextFireTime();
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
    RunEffect.Standing standing =
        new RunEffect.Standing(state == ScheduleState.ACTIVE, lastFireTime, failStreak, lastError);
    RunEffect.of(rules, standing, new RunEffect.Ended(status, now, run.equals(lastRun), error))
        .ifPresent(effect -> apply(effect, now));
  }

  private void apply(RunEffect effect, long now) {
    failStreak = effect.failStreak();
    lastError = effect.error();
    if (effect.nextFireTime() != null && state != ScheduleState.ENDED) {
      nextFireTime = effect.nextFireTime();
    }
    if (effect.pauses()) {
      state = ScheduleState.PAUSED;
      wakeTime = null;
    } else if (effect.isAwaited() && state == ScheduleState.ACTIVE) {
      wakeTime = now;
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
