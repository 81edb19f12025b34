package io.asyncflow.rules.schedule;

import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.Overlap;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What to do with the fire times of one schedule that have come: a fate for each of them, in rising
 * order, and where the schedule stands afterwards. A pure function of its arguments.
 *
 * <p>A fire time is late if it is more than a minute ago; the catch-up policy decides what becomes
 * of late ones. Then the overlap policy decides about those that are left.
 *
 * @param fires the fires to record, oldest first
 * @param gaps stretches of fire times that make nothing
 * @param nextFireTime epoch ms of the first fire time without a fate; {@code null} if there is none
 * @param wakeTime epoch ms at which to plan again; {@code null} if only an end of a run or a save
 *     asks for that
 * @param ends whether the schedule has no further fire
 */
public record FirePlan(
    List<Planned> fires, List<FireGap> gaps, Long nextFireTime, Long wakeTime, boolean ends) {

  /** A fire that is late by more is subject to the catch-up policy. */
  static final long LATE_MS = 60_000;

  /**
   * The most fires of one schedule in one plan, so that none holds up the others. A plan of a
   * schedule that makes jobs creates one: each job has a transaction of its own.
   */
  static final int MAX_FIRES = 16;

  /**
   * The most late fire times, and the most others, that one plan looks at, and the most of one
   * backfill; the next one goes on from there.
   */
  public static final int MAX_STEPS = 10_000;

  private static final int SPREAD_PART = 6;

  /** How soon a schedule is planned again that waits for an end of which no news came. */
  static final long RECHECK_MS = 60_000;

  /**
   * A fire to record.
   *
   * @param fireTime epoch ms
   * @param creates whether it creates something; otherwise it is skipped, because the last run
   *     lives
   */
  public record Planned(long fireTime, boolean creates) {}

  public FirePlan {
    fires = List.copyOf(fires);
    gaps = List.copyOf(gaps);
  }

  /**
   * Plans the fires up to {@code now}, or further if they can be made ahead.
   *
   * @param at where the schedule stands
   * @param lastRunLives whether the last run has not ended; only for rules that {@link
   *     FireRules#dependsOnLastRun depend on it}
   * @param now epoch ms on the database's clock
   * @param aheadMs how long before its time a fire is made at the earliest
   */
  public static FirePlan of(
      FireRules rules, FirePosition at, boolean lastRunLives, long now, long aheadMs) {
    return new Planner(rules, at, lastRunLives, now, rules.canBeMadeAhead() ? aheadMs : 0).plan();
  }

  /**
   * When a schedule that stands at {@code nextFireTime} is planned. Fires that are made ahead are
   * spread over a sixth of that time, so that a common fire time of many schedules is prepared
   * little by little.
   */
  public static long wakeTime(FireRules rules, long nextFireTime, long aheadMs) {
    if (!rules.canBeMadeAhead() || aheadMs < SPREAD_PART) {
      return nextFireTime;
    }
    return nextFireTime - aheadMs + Spread.of(rules.id(), 0, aheadMs / SPREAD_PART);
  }

  /** The state of one planning. */
  private static final class Planner {

    private final FireRules rules;
    private final FirePosition at;
    private final boolean lastRunLives;
    private final long now;
    private final long aheadMs;
    private final List<Planned> fires = new ArrayList<>();
    private final List<FireGap> gaps = new ArrayList<>();

    Planner(FireRules rules, FirePosition at, boolean lastRunLives, long now, long aheadMs) {
      this.rules = rules;
      this.at = at;
      this.lastRunLives = lastRunLives;
      this.now = now;
      this.aheadMs = aheadMs;
    }

    FirePlan plan() {
      Long next = at.nextFireTime();
      if (next == null) {
        return new FirePlan(List.of(), List.of(), null, null, false);
      }
      if (rules.isOver(next) || remainingFires() <= 0) {
        return ended();
      }
      if (next > now + aheadMs) {
        return standingAt(next, wakeTime(rules, next, aheadMs));
      }
      if (lastRunLives && (rules.overlap() == Overlap.WAIT || rules.afterMs() != null)) {
        return standingAt(next, now + RECHECK_MS);
      }
      return rules.afterMs() == null ? planTimes(next) : planSingle(next);
    }

    private long remainingFires() {
      return rules.maxFires() == null ? Long.MAX_VALUE : rules.maxFires() - at.fireCount();
    }

    private FirePlan standingAt(Long next, Long wake) {
      return new FirePlan(fires, gaps, next, wake, false);
    }

    private FirePlan ended() {
      return new FirePlan(fires, gaps, null, null, true);
    }

    /** The next fire time of such a schedule follows from the end of the run that begins now. */
    private FirePlan planSingle(long next) {
      fires.add(new Planned(next, true));
      return remainingFires() == 1 ? ended() : standingAt(null, null);
    }

    private FirePlan planTimes(long first) {
      long lateEnd = now - LATE_MS;
      List<Long> late = from(OptionalLong.of(first), lateEnd);
      OptionalLong next = after(late, OptionalLong.of(first));
      if (late.size() == MAX_STEPS && isBefore(next, lateEnd)) {
        return planBacklog(late, next.getAsLong());
      }
      List<Long> onTime = from(next, now + aheadMs + 1);
      next = after(onTime, next);
      List<Long> wanted = catchUp(late, onTime);
      wanted.addAll(onTime);
      return planOverlap(wanted, isBefore(next, Long.MAX_VALUE) ? (Long) next.getAsLong() : null);
    }

    /** A fire time and those after it, before {@code end}. */
    private List<Long> from(OptionalLong first, long end) {
      List<Long> found = new ArrayList<>();
      if (isBefore(first, end)) {
        long last = rules.endTime() == null ? end : Math.min(end, rules.endTime());
        found.add(first.getAsLong());
        found.addAll(rules.times().after(first.getAsLong(), last, MAX_STEPS - 1));
      }
      return found;
    }

    /** The fire time after the last of these; {@code first} if there are none. */
    private OptionalLong after(List<Long> times, OptionalLong first) {
      return times.isEmpty() ? first : rules.times().next(times.get(times.size() - 1));
    }

    private boolean isBefore(OptionalLong time, long end) {
      return time.isPresent() && time.getAsLong() < end && !rules.isOver(time.getAsLong());
    }

    /**
     * More fire times are late than one plan looks at: those that no policy would make are passed,
     * the others are left to the next plan.
     */
    private FirePlan planBacklog(List<Long> late, long after) {
      int kept = rules.catchUp() == CatchUp.ALL ? rules.catchUpLimit() : 0;
      int passed = Math.max(1, late.size() - kept);
      for (long time : late.subList(0, passed)) {
        boolean isMerged = rules.catchUp() == CatchUp.LATEST && time >= now - rules.catchUpMs();
        addGap(time, isMerged ? GapReason.MERGED : GapReason.MISSED);
      }
      return standingAt(passed < late.size() ? late.get(passed) : after, now);
    }

    /** The late fire times that are made; the others become gaps. */
    private List<Long> catchUp(List<Long> late, List<Long> onTime) {
      int old = 0;
      while (old < late.size() && late.get(old) < now - rules.catchUpMs()) {
        old++;
      }
      List<Long> recent = late.subList(old, late.size());
      late.subList(0, old).forEach(time -> addGap(time, GapReason.MISSED));
      switch (rules.catchUp()) {
        case NONE -> {
          recent.forEach(time -> addGap(time, GapReason.MISSED));
          return new ArrayList<>();
        }
        case LATEST -> {
          boolean hasRunNow = !onTime.isEmpty() && onTime.get(0) <= now;
          int merged = hasRunNow ? recent.size() : Math.max(0, recent.size() - 1);
          recent.subList(0, merged).forEach(time -> addGap(time, GapReason.MERGED));
          return new ArrayList<>(recent.subList(merged, recent.size()));
        }
        case ALL -> {
          int missed = Math.max(0, recent.size() - rules.catchUpLimit());
          recent.subList(0, missed).forEach(time -> addGap(time, GapReason.MISSED));
          return new ArrayList<>(recent.subList(missed, recent.size()));
        }
        default -> throw new IllegalArgumentException(rules.catchUp().name());
      }
    }

    /**
     * @param wanted the fire times to make, rising
     * @param after the fire time after them; {@code null} if there is none
     */
    private FirePlan planOverlap(List<Long> wanted, Long after) {
      boolean isOneRunOnly = rules.overlap() == Overlap.WAIT || rules.overlap() == Overlap.REPLACE;
      if (isOneRunOnly && wanted.size() > 1) {
        int newest = wanted.size() - 1;
        wanted.subList(0, newest).forEach(time -> addGap(time, GapReason.MERGED));
        wanted.subList(0, newest).clear();
      }
      boolean lives = lastRunLives;
      long created = 0;
      for (int i = 0; i < wanted.size(); i++) {
        if (created == remainingFires()) {
          return ended();
        }
        if (fires.size() == MAX_FIRES || rules.makesJobs() && created == 1) {
          return standingAt(wanted.get(i), now);
        }
        boolean creates = rules.overlap() != Overlap.SKIP || !lives;
        fires.add(new Planned(wanted.get(i), creates));
        lives = true;
        created += creates ? 1 : 0;
      }
      return after == null || created == remainingFires()
          ? ended()
          : standingAt(after, wakeTime(rules, after, aheadMs));
    }

    private void addGap(long time, GapReason reason) {
      int last = gaps.size() - 1;
      if (last >= 0 && gaps.get(last).reason() == reason) {
        gaps.set(last, gaps.get(last).and(time));
      } else {
        gaps.add(new FireGap(time, time, 1, reason));
      }
    }
  }
}
