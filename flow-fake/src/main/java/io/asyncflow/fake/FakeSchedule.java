package io.asyncflow.fake;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.FirePosition.Fired;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.RunEffect;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.util.ArrayList;
import java.util.List;

/**
 * A schedule of a {@link FakeFlowServer}: its definition, where it stands, and what a pause and the
 * ends of its runs change. All times are epoch ms. Not thread-safe.
 */
final class FakeSchedule {

  /** How long before its time the server makes a fire. */
  static final long AHEAD_MS = 30_000;

  final long id;
  private final long createTime;
  final FireHistory history;
  NewSchedule definition;
  FireRules rules;
  private FirePosition position;

  private final List<Fired> created = new ArrayList<>();

  /** Rises with each change by a caller. */
  long version;

  private long modifyTime;

  /**
   * @param definition complete
   */
  FakeSchedule(long id, NewSchedule definition, long nextFireTime, FireHistory history, long now) {
    this.id = id;
    this.version = id;
    this.createTime = now;
    this.history = history;
    define(definition, now);
    this.position = FirePosition.first(rules, nextFireTime, AHEAD_MS);
  }

  private void define(NewSchedule complete, long now) {
    definition = complete;
    rules = ScheduleRules.of(id, complete);
    modifyTime = now;
  }

  /** Gives it another definition; returns whether it has ended. */
  boolean define(NewSchedule complete, Long next, long now) {
    define(complete, now);
    position = position.redefined(rules, next, AHEAD_MS);
    return position.state() == ScheduleState.ENDED;
  }

  private void write(FirePosition to, long now) {
    position = to;
    modifyTime = now;
  }

  String scheduleId() {
    return Long.toString(id);
  }

  ScheduleState state() {
    return position.state();
  }

  Long nextFireTime() {
    return position.nextFireTime();
  }

  /** The type of its tasks, or of the splits of its jobs. */
  String targetType() {
    return ScheduleRules.targetType(definition).name();
  }

  /** Whether there may be something to do at this time. */
  boolean isDue(long now) {
    return wakeTime() != null && wakeTime() <= now;
  }

  /** When there is something to do; {@code null} if only a call or the end of a run causes it. */
  Long wakeTime() {
    return position.wakeTime();
  }

  /** What its last planned fire created; {@code null} before it. */
  TriggeredRun lastRun() {
    return position.lastFireTime() == null ? null : history.runAt(position.lastFireTime());
  }

  /** Where it stands, for a change that withdraws and keeps these fires. */
  ScheduleRules.Changed changed(Long firstWithdrawn, Long lastKept) {
    return new ScheduleRules.Changed(definition, position, firstWithdrawn, lastKept);
  }

  /**
   * What to do with the fire times that have come.
   *
   * @param lastRunLives only for rules that depend on it
   */
  FirePlan plan(boolean lastRunLives, long now) {
    return FirePlan.of(rules, position, lastRunLives, now, AHEAD_MS);
  }

  /** Counts a fire that created something by plan, when it moves on. */
  void countPlanned(long fireTime, TriggeredRun run) {
    created.add(new Fired(fireTime, idOf(run)));
  }

  private static String idOf(TriggeredRun run) {
    return run.taskId() == null ? run.jobId() : run.taskId();
  }

  /** Counts a fire that created something beside the plan. */
  void countManual() {
    position = position.counted(1);
  }

  /** Moves on after a plan was carried out. */
  void advance(FirePlan plan, long now) {
    write(position.advanced(plan, created), now);
    created.clear();
    plan.gaps().forEach(history::add);
  }

  /**
   * Takes back what withdrawn fires changed.
   *
   * @param withdrawn at least one
   */
  void takeBack(List<ScheduleFire> withdrawn) {
    long first = withdrawn.get(0).fireTime();
    ScheduleFire last = history.lastPlanned(first);
    Fired before = last == null ? null : new Fired(last.fireTime(), idOf(FireHistory.runOf(last)));
    position = position.takenBack(withdrawn.size(), first, before);
  }

  /**
   * @param until when it resumes by itself; {@code null} if it does not
   */
  void pause(Long until, long now) {
    write(position.paused(until), now);
  }

  /**
   * @param catchUp whether the catch-up policy decides about the fire times of the pause; otherwise
   *     they become a gap
   */
  void resume(boolean catchUp, long now) {
    FirePosition.Resumed resumed = position.resumed(rules, catchUp, now, AHEAD_MS);
    if (resumed.gap() != null) {
      history.add(resumed.gap());
    }
    write(resumed.position(), now);
  }

  /**
   * Records the end of a run where it decides what comes next.
   *
   * @param error why the run failed; {@code null} if it did not
   */
  void recordEnd(TriggeredRun run, TaskStatus status, String error, long now) {
    if (rules.dependsOnEnds()) {
      RunEffect.of(rules, position, new RunEffect.Ended(idOf(run), status, now, error), now)
          .ifPresent(effect -> write(effect.after(), now));
    }
  }

  /** The schedule as the API shows it. */
  Schedule show(long now) {
    boolean isWaitedFor = position.isActive() && nextFireTime() != null;
    return new Schedule(
        scheduleId(),
        definition,
        state(),
        nextFireTime(),
        position.lastFireTime(),
        position.fireCount(),
        position.failStreak(),
        position.lastError(),
        isWaitedFor ? Math.max(0, now - nextFireTime()) : 0,
        ScheduleRules.sliceOf(id),
        FireHistory.NODE,
        FireHistory.EPOCH,
        version,
        position.pauseUntil(),
        createTime,
        modifyTime);
  }
}
