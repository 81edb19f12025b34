package io.asyncflow.rules.schedule;

import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.Overlap;

/**
 * What a schedule says of its fires, as far as a plan needs it. Immutable.
 *
 * @param id the schedule's id; spreads what many schedules do at the same time
 * @param times its fire times; {@code null} if it fires after the end of its last run
 * @param afterMs ms from the end of a run to the next fire; {@code null} if it has fire times
 * @param endTime epoch ms; no fire from then on; {@code null} for no end
 * @param maxFires fires that create something; {@code null} for no limit
 * @param catchUpMs ms; a missed fire that is older is missed for good
 * @param catchUpLimit the most missed fires that {@link CatchUp#ALL} makes, the newest
 * @param jitterMs tasks are due up to so many ms after their fire time
 * @param pauseAfterFailures failed runs in a row after which the schedule pauses itself; 0 for
 *     never
 * @param makesJobs whether a fire creates a job, which begins at once
 */
public record FireRules(
    long id,
    FireTimes times,
    Long afterMs,
    Long endTime,
    Long maxFires,
    Overlap overlap,
    CatchUp catchUp,
    long catchUpMs,
    int catchUpLimit,
    int jitterMs,
    int pauseAfterFailures,
    boolean makesJobs) {

  /**
   * @throws IllegalArgumentException if there is no plan, or two, or no policy
   */
  public FireRules {
    if ((times == null) == (afterMs == null)) {
      throw new IllegalArgumentException("it has no plan");
    }
    if (overlap == null || catchUp == null || catchUpLimit < 1) {
      throw new IllegalArgumentException("its policies are unknown");
    }
  }

  /** The longest pause after failures is so many times {@code afterMs}. */
  private static final int MAX_BACKOFF = 64;

  /** Whether a fire depends on nothing that happens before its time, so it can be made ahead. */
  public boolean canBeMadeAhead() {
    return overlap == Overlap.ALLOW && afterMs == null && pauseAfterFailures == 0 && !makesJobs;
  }

  /** Whether a plan must know if the last run lives. */
  public boolean dependsOnLastRun() {
    return overlap != Overlap.ALLOW || afterMs != null;
  }

  /** Whether the end of a run changes what the schedule does next. */
  public boolean dependsOnEnds() {
    return overlap == Overlap.WAIT || afterMs != null || pauseAfterFailures > 0;
  }

  /**
   * Whether this is a fire time of the plan, which keeps its place.
   *
   * @param next the next fire time; {@code null} if it follows from the end of the last run
   */
  public boolean isPlanned(long time, Long next) {
    return times == null ? next != null && next == time : times.next(time - 1).orElse(-1) == time;
  }

  /** Whether {@code time} is at the end or after it. */
  boolean isOver(long time) {
    return endTime != null && time >= endTime;
  }

  /**
   * The epoch ms from which the task of a fire is due: the fire time plus the fire's part of the
   * jitter, the same whenever it is asked for.
   */
  public long dueTime(long fireTime) {
    return jitterMs == 0 ? fireTime : fireTime + Spread.of(id, fireTime, jitterMs);
  }

  /**
   * This time, or the first one after the last fire if that is later: a clock may be set back, and
   * a fire time comes once.
   *
   * @param lastFireTime epoch ms; {@code null} before the first fire
   */
  public static long afterLastFire(Long lastFireTime, long time) {
    return lastFireTime == null ? time : Math.max(time, lastFireTime + 1);
  }

  /**
   * When a schedule with {@code afterMs} fires next. The pause doubles with each failure in a row,
   * up to 64 times its length. A run that has lasted longer than the longest pause was no part of a
   * crash loop, so the pause after it has its plain length.
   *
   * @param fireTime epoch ms of the fire that created the last run
   * @param endTime epoch ms of the end of the last run
   * @param failStreak failed runs in a row, the last one included
   */
  public long nextAfterEnd(long fireTime, long endTime, int failStreak) {
    boolean lasted = endTime - fireTime > afterMs * MAX_BACKOFF;
    long factor = lasted ? 1 : Math.min(MAX_BACKOFF, 1L << Math.min(failStreak, 30));
    return endTime + afterMs * factor;
  }
}
