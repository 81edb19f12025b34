package io.asyncflow.rules.schedule;

import io.asyncflow.api.schedule.ScheduleState;
import java.util.List;
import java.util.OptionalLong;

/**
 * Where a schedule stands, and what each thing that happens to it changes of that. Immutable.
 *
 * @param state {@code null} if a change by SQL made it unknown
 * @param nextFireTime epoch ms of the first fire time without a fate; {@code null} if there is
 *     none, or if it follows from the end of the last run
 * @param wakeTime epoch ms of the next look at it; {@code null} if only an end of a run or a call
 *     asks for one
 * @param pauseUntil epoch ms; {@code null} unless it is paused until a time
 * @param fireCount fires that created something
 * @param failStreak failed runs in a row
 * @param lastFireTime epoch ms of the last fire that created something by plan; {@code null} before
 *     it
 * @param lastRun the id of the task or the job that it created; {@code null} before it
 * @param lastError {@code null} if the last fire created something and its run did not fail
 */
public record FirePosition(
    ScheduleState state,
    Long nextFireTime,
    Long wakeTime,
    Long pauseUntil,
    long fireCount,
    int failStreak,
    Long lastFireTime,
    String lastRun,
    String lastError) {

  /**
   * A fire that created something by plan.
   *
   * @param run the id of the task or the job
   */
  public record Fired(long time, String run) {}

  /**
   * A schedule that is resumed.
   *
   * @param gap the fire times that the pause has left out; {@code null} if there are none
   */
  public record Resumed(FirePosition position, FireGap gap) {}

  /** The position of a new schedule. */
  public static FirePosition first(FireRules rules, long nextFireTime, long aheadMs) {
    return new FirePosition(ScheduleState.ACTIVE, null, null, null, 0, 0, null, null, null)
        .going(rules, nextFireTime, aheadMs);
  }

  public boolean isActive() {
    return state == ScheduleState.ACTIVE;
  }

  private FirePosition at(ScheduleState newState, Long next, Long wake, Long until) {
    return new FirePosition(
        newState, next, wake, until, fireCount, failStreak, lastFireTime, lastRun, lastError);
  }

  private FirePosition after(long fires, Long lastTime, String run) {
    return new FirePosition(
        state, nextFireTime, wakeTime, pauseUntil, fires, failStreak, lastTime, run, lastError);
  }

  FirePosition failing(int streak, String error) {
    return new FirePosition(
        state, nextFireTime, wakeTime, pauseUntil, fireCount, streak, lastFireTime, lastRun, error);
  }

  /** It is active, and fires at this time next; {@code null} waits for the end of its last run. */
  private FirePosition going(FireRules rules, Long next, long aheadMs) {
    Long wake = next == null ? null : (Long) FirePlan.wakeTime(rules, next, aheadMs);
    return at(ScheduleState.ACTIVE, next, wake, null);
  }

  /**
   * A plan was carried out.
   *
   * @param created what it created, oldest first
   */
  public FirePosition advanced(FirePlan plan, List<Fired> created) {
    ScheduleState now = plan.ends() ? ScheduleState.ENDED : ScheduleState.ACTIVE;
    FirePosition moved = at(now, plan.nextFireTime(), plan.wakeTime(), pauseUntil);
    if (created.isEmpty()) {
      return moved;
    }
    Fired last = created.get(created.size() - 1);
    return moved
        .after(fireCount + created.size(), last.time(), last.run())
        .failing(failStreak, null);
  }

  /** So many fires were made beside the plan. */
  public FirePosition counted(int fires) {
    return after(fireCount + fires, lastFireTime, lastRun);
  }

  /** Nothing could be created; the fires that have come are tried again at this time. */
  public FirePosition refused(String error, long again) {
    return at(state, nextFireTime, again, pauseUntil).failing(failStreak, error);
  }

  /**
   * Fires were withdrawn: they do not count, and none of them is the last run.
   *
   * @param fires how many
   * @param first epoch ms of the first of them, which comes next
   * @param last the last fire before them that created something by plan; {@code null} if there is
   *     none, or if its day was dropped
   */
  public FirePosition takenBack(int fires, long first, Fired last) {
    return at(state, first, wakeTime, pauseUntil)
        .after(
            fireCount - fires,
            last == null ? null : (Long) last.time(),
            last == null ? null : last.run());
  }

  /**
   * It is paused.
   *
   * @param until epoch ms; {@code null} for a pause that only a resume ends
   */
  public FirePosition paused(Long until) {
    return at(ScheduleState.PAUSED, nextFireTime, until, until);
  }

  /**
   * It is resumed.
   *
   * @param rules {@code null} if its row cannot be understood: a look at it then says why
   * @param catchUp whether the catch-up policy decides about the fire times of the pause; otherwise
   *     they become a gap
   */
  public Resumed resumed(FireRules rules, boolean catchUp, long now, long aheadMs) {
    FirePosition healed = failing(0, lastError);
    if (rules == null) {
      return new Resumed(healed.at(ScheduleState.ACTIVE, nextFireTime, now, null), null);
    }
    if (rules.times() == null) {
      // Its last run may have ended meanwhile; if it lives, it is waited for.
      return new Resumed(healed.going(rules, nextOr(now), aheadMs), null);
    }
    Long next = nextFireTime;
    FireGap gap = null;
    if (next != null && !catchUp && next <= now) {
      long end = rules.endTime() == null ? Long.MAX_VALUE : rules.endTime();
      gap = next < end ? FireGap.paused(rules.times(), next, Math.min(now, end - 1)) : null;
      OptionalLong after = rules.times().next(now);
      next = after.isPresent() && after.getAsLong() < end ? (Long) after.getAsLong() : null;
    }
    return new Resumed(next == null ? ended() : healed.going(rules, next, aheadMs), gap);
  }

  private FirePosition ended() {
    return at(ScheduleState.ENDED, null, null, null);
  }

  /** The next fire; if there is none, the first time from {@code now} on after the last fire. */
  private long nextOr(long now) {
    return nextFireTime == null ? FireRules.afterLastFire(lastFireTime, now) : nextFireTime;
  }

  /**
   * Its definition was replaced. An ended schedule is active again, unless all its fires are made.
   *
   * @param next epoch ms; {@code null} if it follows from the end of the last run
   */
  public FirePosition redefined(FireRules rules, Long next, long aheadMs) {
    if (rules.maxFires() != null && fireCount >= rules.maxFires()) {
      return ended();
    }
    return state == ScheduleState.PAUSED
        ? at(state, next, pauseUntil, pauseUntil)
        : going(rules, next, aheadMs);
  }

  /** A run of it has ended; see {@link RunEffect}. */
  FirePosition afterEnd(boolean pauses, boolean isAwaited, Long next, long now) {
    ScheduleState newState = pauses ? ScheduleState.PAUSED : state;
    Long newNext = next == null ? nextFireTime : next;
    Long awaited = isAwaited ? (Long) now : wakeTime;
    return at(
        newState,
        newState == ScheduleState.ENDED ? null : newNext,
        newState == ScheduleState.ACTIVE ? awaited : pauseUntil,
        pauseUntil);
  }
}
