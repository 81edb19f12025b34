package io.asyncflow.rules.schedule;

import static java.time.temporal.ChronoUnit.DAYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.rules.schedule.FirePlan.Planned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FirePlanTest {

  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final long AHEAD = 30 * SECOND;

  /** The beginning of a day, so that all intervals of the tests fire at it. */
  private static final long NOW = 20_000 * DAY;

  /** The fields of rules that tests change. */
  private static final class Rules {
    private long id = 7;
    private long everyMs = MINUTE;
    private Long afterMs;
    private Long endTime;
    private Long maxFires;
    private Overlap overlap = Overlap.ALLOW;
    private CatchUp catchUp = CatchUp.LATEST;
    private long catchUpMs = 7 * DAY;
    private int catchUpLimit = 100;
    private boolean makesJobs;

    Rules id(long value) {
      id = value;
      return this;
    }

    Rules every(long ms) {
      everyMs = ms;
      return this;
    }

    Rules after(long ms) {
      afterMs = ms;
      return this;
    }

    Rules endingAt(long time) {
      endTime = time;
      return this;
    }

    Rules atMost(long fires) {
      maxFires = fires;
      return this;
    }

    Rules overlap(Overlap policy) {
      overlap = policy;
      return this;
    }

    Rules catchUp(CatchUp policy) {
      catchUp = policy;
      return this;
    }

    Rules catchUpWithin(long ms) {
      catchUpMs = ms;
      return this;
    }

    Rules catchUpAtMost(int fires) {
      catchUpLimit = fires;
      return this;
    }

    Rules makingJobs() {
      makesJobs = true;
      return this;
    }

    FireRules build() {
      return build(afterMs == null ? FireTimes.every(everyMs, 0) : null);
    }

    FireRules build(FireTimes times) {
      return new FireRules(
          id,
          times,
          afterMs,
          endTime,
          maxFires,
          overlap,
          catchUp,
          catchUpMs,
          catchUpLimit,
          0,
          0,
          makesJobs);
    }
  }

  private static Rules rules() {
    return new Rules();
  }

  private static FirePosition at(Long next, long count) {
    return new FirePosition(ScheduleState.ACTIVE, next, null, null, count, 0, null, null, null);
  }

  private static FirePlan plan(Rules rules, Long next, long count, boolean lives, long now) {
    return FirePlan.of(rules.build(), at(next, count), lives, now, AHEAD);
  }

  private static FirePlan plan(Rules rules, Long next, long now) {
    return plan(rules, next, 0, false, now);
  }

  private static List<Long> created(FirePlan plan) {
    return plan.fires().stream().filter(Planned::creates).map(Planned::fireTime).toList();
  }

  private static List<Long> skipped(FirePlan plan) {
    return plan.fires().stream().filter(fire -> !fire.creates()).map(Planned::fireTime).toList();
  }

  @Nested
  class Ahead {

    @Test
    void firesOfTheNextThirtySecondsAreMade() {
      FirePlan plan = plan(rules().every(10 * SECOND), NOW, NOW);

      assertThat(created(plan))
          .containsExactly(NOW, NOW + 10 * SECOND, NOW + 20 * SECOND, NOW + 30 * SECOND);
      assertThat(plan.nextFireTime()).isEqualTo(NOW + 40 * SECOND);
    }

    @Test
    void theNextLookComesTwentyFiveToThirtySecondsBeforeTheNextFire() {
      FirePlan plan = plan(rules(), NOW, NOW);

      assertThat(plan.nextFireTime()).isEqualTo(NOW + MINUTE);
      assertThat(plan.wakeTime())
          .isBetween(NOW + MINUTE - AHEAD, NOW + MINUTE - AHEAD + 5 * SECOND - 1);
    }

    @Test
    void schedulesOfOneFireTimeAreLookedAtOneAfterAnother() {
      long distinct =
          LongStream.range(0, 1_000)
              .map(id -> FirePlan.wakeTime(rules().id(id).build(), NOW, AHEAD))
              .distinct()
              .count();

      assertThat(distinct).isGreaterThan(800);
    }

    @Test
    void nothingIsMadeAheadWhereTheLastRunDecides() {
      for (Overlap overlap : List.of(Overlap.SKIP, Overlap.WAIT, Overlap.REPLACE)) {
        FirePlan plan = plan(rules().overlap(overlap), NOW + SECOND, NOW);

        assertThat(plan.fires()).isEmpty();
        assertThat(plan.wakeTime()).isEqualTo(NOW + SECOND);
      }
    }

    @Test
    void onePlanMakesSixteenFiresAndTheNextOneFollowsAtOnce() {
      FirePlan plan = plan(rules().every(SECOND), NOW - 10 * SECOND, NOW);

      assertThat(created(plan)).hasSize(16);
      assertThat(plan.nextFireTime()).isEqualTo(NOW + 6 * SECOND);
      assertThat(plan.wakeTime()).isEqualTo(NOW);
    }
  }

  @Nested
  class Late {

    @Test
    void aFireOfUpToAMinuteAgoIsOnTime() {
      FirePlan plan = plan(rules().catchUp(CatchUp.NONE), NOW - MINUTE, NOW);

      assertThat(created(plan)).containsExactly(NOW - MINUTE, NOW);
      assertThat(plan.gaps()).isEmpty();
    }

    @Test
    void latestMakesOneRunForAllThatWasMissed() {
      FirePlan plan = plan(rules().every(HOUR), NOW - 5 * HOUR, NOW + 30 * MINUTE);

      assertThat(created(plan)).containsExactly(NOW);
      assertThat(plan.gaps())
          .containsExactly(new FireGap(NOW - 5 * HOUR, NOW - HOUR, 5, GapReason.MERGED));
    }

    @Test
    void latestMergesWhatWasMissedIntoARunThatIsOnTime() {
      FirePlan plan = plan(rules().every(HOUR), NOW - 2 * HOUR, NOW);

      assertThat(created(plan)).containsExactly(NOW);
      assertThat(plan.gaps())
          .containsExactly(new FireGap(NOW - 2 * HOUR, NOW - HOUR, 2, GapReason.MERGED));
    }

    @Test
    void noneMakesNoneOfThem() {
      FirePlan plan =
          plan(rules().every(HOUR).catchUp(CatchUp.NONE), NOW - 2 * HOUR, NOW + 2 * MINUTE);

      assertThat(plan.fires()).isEmpty();
      assertThat(plan.gaps())
          .containsExactly(new FireGap(NOW - 2 * HOUR, NOW, 3, GapReason.MISSED));
      assertThat(plan.nextFireTime()).isEqualTo(NOW + HOUR);
    }

    @Test
    void allMakesEachSixteenAtATime() {
      Rules rules = rules().every(HOUR).catchUp(CatchUp.ALL);
      long now = NOW + 2 * MINUTE;
      List<Long> made = new ArrayList<>();

      FirePlan plan = plan(rules, NOW - 39 * HOUR, now);
      made.addAll(created(plan));
      while (plan.wakeTime() <= now) {
        plan = plan(rules, plan.nextFireTime(), now);
        made.addAll(created(plan));
      }

      assertThat(made).hasSize(40).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void allMakesEachJobInAPlanOfItsOwn() {
      Rules rules = rules().every(HOUR).catchUp(CatchUp.ALL).makingJobs();
      long now = NOW + 2 * MINUTE;
      List<Long> made = new ArrayList<>();

      Long next = NOW - 4 * HOUR;
      FirePlan plan;
      do {
        plan = plan(rules, next, now);
        assertThat(created(plan)).hasSize(1);
        made.addAll(created(plan));
        next = plan.nextFireTime();
      } while (plan.wakeTime() <= now);

      assertThat(made).hasSize(5).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void allMakesTheNewestUpToItsLimit() {
      Rules rules = rules().every(HOUR).catchUp(CatchUp.ALL).catchUpAtMost(3);

      FirePlan plan = plan(rules, NOW - 9 * HOUR, NOW + 2 * MINUTE);

      assertThat(created(plan)).containsExactly(NOW - 2 * HOUR, NOW - HOUR, NOW);
      assertThat(plan.gaps())
          .containsExactly(new FireGap(NOW - 9 * HOUR, NOW - 3 * HOUR, 7, GapReason.MISSED));
    }

    @Test
    void whatIsOlderThanTheCatchUpTimeIsMissed() {
      Rules rules = rules().every(HOUR).catchUp(CatchUp.ALL).catchUpWithin(2 * HOUR + 2 * MINUTE);

      FirePlan plan = plan(rules, NOW - 4 * HOUR, NOW + 2 * MINUTE);

      assertThat(created(plan)).containsExactly(NOW - 2 * HOUR, NOW - HOUR, NOW);
      assertThat(plan.gaps())
          .containsExactly(new FireGap(NOW - 4 * HOUR, NOW - 3 * HOUR, 2, GapReason.MISSED));
    }

    /** The last late fire time that one plan looks at is followed by many that are on time. */
    @Test
    void aBacklogMayEndAnywhereInAPlan() {
      for (CatchUp policy : CatchUp.values()) {
        for (long steps = FirePlan.MAX_STEPS - 100; steps <= FirePlan.MAX_STEPS + 100; steps++) {
          FirePlan plan = plan(rules().every(SECOND).catchUp(policy), NOW - steps * SECOND, NOW);

          assertThat(plan.nextFireTime()).as("%s, %d", policy, steps).isNotNull();
        }
      }
    }

    @Test
    void aBacklogOfAnyLengthIsWorkedOffInBoundedPlans() {
      for (CatchUp policy : CatchUp.values()) {
        Rules rules = rules().every(SECOND).catchUp(policy).catchUpAtMost(50);
        long next = NOW - 3 * DAY;
        long fates = 0;
        int plans = 0;
        FirePlan plan;
        do {
          plan = plan(rules, next, NOW);
          fates += plan.fires().size();
          fates += plan.gaps().stream().mapToInt(FireGap::fires).sum();
          next = plan.nextFireTime();
          plans++;
        } while (plan.wakeTime() <= NOW);

        long times = 3 * DAY / SECOND + 1 + AHEAD / SECOND;
        assertThat(fates).as(policy.name()).isEqualTo(times);
        assertThat(plans).as(policy.name()).isLessThan(60);
      }
    }
  }

  @Nested
  class Overlapping {

    @Test
    void skipRecordsAFireWhileTheLastRunLives() {
      FirePlan plan = plan(rules().overlap(Overlap.SKIP), NOW, 1, true, NOW);

      assertThat(created(plan)).isEmpty();
      assertThat(skipped(plan)).containsExactly(NOW);
      assertThat(plan.nextFireTime()).isEqualTo(NOW + MINUTE);
    }

    @Test
    void skipMakesOneOfSeveralThatHaveCome() {
      FirePlan plan =
          plan(rules().every(10 * SECOND).overlap(Overlap.SKIP), NOW - 20 * SECOND, NOW);

      assertThat(created(plan)).containsExactly(NOW - 20 * SECOND);
      assertThat(skipped(plan)).containsExactly(NOW - 10 * SECOND, NOW);
    }

    @Test
    void waitStandsStillWhileTheLastRunLives() {
      FirePlan plan = plan(rules().overlap(Overlap.WAIT), NOW, 1, true, NOW);

      assertThat(plan.fires()).isEmpty();
      assertThat(plan.gaps()).isEmpty();
      assertThat(plan.nextFireTime()).isEqualTo(NOW);
      assertThat(plan.wakeTime()).isEqualTo(NOW + MINUTE);
    }

    @Test
    void waitMakesOneRunForAllThatPassed() {
      FirePlan plan =
          plan(rules().every(10 * SECOND).overlap(Overlap.WAIT), NOW - 30 * SECOND, NOW);

      assertThat(created(plan)).containsExactly(NOW);
      assertThat(plan.gaps())
          .containsExactly(new FireGap(NOW - 30 * SECOND, NOW - 10 * SECOND, 3, GapReason.MERGED));
    }

    @Test
    void replaceMakesTheNewest() {
      Rules rules = rules().every(10 * SECOND).overlap(Overlap.REPLACE);

      FirePlan plan = plan(rules, NOW - 10 * SECOND, 1, true, NOW);

      assertThat(created(plan)).containsExactly(NOW);
      assertThat(plan.gaps()).hasSize(1);
    }
  }

  @Nested
  class AfterTheLastRun {

    @Test
    void oneFireIsMadeAndTheEndOfItsRunDecidesOnTheNext() {
      FirePlan plan = plan(rules().after(MINUTE), NOW - 5 * HOUR, NOW);

      assertThat(created(plan)).containsExactly(NOW - 5 * HOUR);
      assertThat(plan.nextFireTime()).isNull();
      assertThat(plan.wakeTime()).isNull();
      assertThat(plan.ends()).isFalse();
    }

    @Test
    void aRunThatLivesAgainIsWaitedFor() {
      FirePlan plan = plan(rules().after(MINUTE), NOW, 1, true, NOW);

      assertThat(plan.fires()).isEmpty();
      assertThat(plan.nextFireTime()).isEqualTo(NOW);
      assertThat(plan.wakeTime()).isEqualTo(NOW + MINUTE);
    }

    @Test
    void thePauseDoublesWithEachFailureUpToSixtyFourTimes() {
      FireRules rules = rules().after(MINUTE).build();

      assertThat(rules.nextAfterEnd(NOW, NOW, 0)).isEqualTo(NOW + MINUTE);
      assertThat(rules.nextAfterEnd(NOW - MINUTE, NOW, 3)).isEqualTo(NOW + 8 * MINUTE);
      assertThat(rules.nextAfterEnd(NOW - 64 * MINUTE, NOW, 100)).isEqualTo(NOW + 64 * MINUTE);
    }

    @Test
    void aRunThatHasLastedBeforeItFailedIsNoCrashLoop() {
      FireRules rules = rules().after(MINUTE).build();

      assertThat(rules.nextAfterEnd(NOW - 64 * MINUTE - 1, NOW, 5)).isEqualTo(NOW + MINUTE);
    }
  }

  @Nested
  class Ending {

    @Test
    void noFireIsMadeFromTheEndOn() {
      FirePlan plan = plan(rules().every(5 * SECOND).endingAt(NOW + 10 * SECOND), NOW, NOW);

      assertThat(created(plan)).containsExactly(NOW, NOW + 5 * SECOND);
      assertThat(plan.ends()).isTrue();
      assertThat(plan.nextFireTime()).isNull();
      assertThat(plan.wakeTime()).isNull();
    }

    @Test
    void theLastOfItsFiresEndsIt() {
      FirePlan plan = plan(rules().every(5 * SECOND).atMost(5), NOW, 3, false, NOW);

      assertThat(created(plan)).hasSize(2);
      assertThat(plan.ends()).isTrue();
    }

    @Test
    void skippedFiresDoNotCount() {
      FirePlan plan = plan(rules().overlap(Overlap.SKIP).atMost(2), NOW, 1, true, NOW);

      assertThat(skipped(plan)).hasSize(1);
      assertThat(plan.ends()).isFalse();
    }
  }

  /** The end of January 2027, whose February is too short for these days, and what comes then. */
  @Test
  void daysThatAMonthDoesNotHaveArePlannedAround() {
    for (int before : new int[] {28, 29, 30}) {
      FireTimes times = FireTimes.cron("0 0 9 L-" + before + " * ?", FireTimes.zone("UTC"));
      long fire = Instant.parse("2027-01-01T09:00:00Z").plus(30 - before, DAYS).toEpochMilli();
      Long next = fire + (31 + 28) * DAY;
      FireRules rules = rules().build(times);
      for (long now : new long[] {fire - 20 * SECOND, fire, fire + 120 * SECOND}) {
        FirePlan plan = FirePlan.of(rules, at(fire, 0), false, now, AHEAD);

        assertThat(created(plan)).containsExactly(fire);
        assertThat(plan.nextFireTime()).isEqualTo(next);
        assertThat(plan.wakeTime()).isGreaterThan(now);
      }
    }
  }

  /** A schedule that cannot be planned is set aside by the server; nothing may loop. */
  @Test
  void timesThatDoNotAdvanceAreAnErrorWhereverTheyAreReached() {
    FireRules rules = rules().build(new StuckTimes(NOW, 0));
    for (long now : new long[] {NOW - 20 * SECOND, NOW, NOW + HOUR}) {
      assertThatIllegalStateException()
          .isThrownBy(() -> FirePlan.of(rules, at(NOW, 0), false, now, AHEAD))
          .withMessageStartingWith("a bug: after " + NOW);
    }
  }

  /** Plans at random times, with random rules, and checks what must always hold. */
  @Test
  void everyFireTimeHasOneFateInRisingOrder() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      Rules rules =
          rules()
              .every(SECOND * (1 + random.nextInt(600)))
              .overlap(Overlap.values()[random.nextInt(4)])
              .catchUp(CatchUp.values()[random.nextInt(3)])
              .catchUpWithin(random.nextInt((int) (4 * HOUR)))
              .catchUpAtMost(1 + random.nextInt(20));
      long now = NOW;
      long expected = FireTimes.every(rules.everyMs, 0).next(NOW - 1).orElseThrow();
      while (now < NOW + 2 * HOUR) {
        now += random.nextInt(10) == 0 ? random.nextInt((int) HOUR) : random.nextInt(90_000);
        FirePlan plan = plan(rules, expected, 0, random.nextBoolean(), now);
        for (long time : fates(plan, rules.everyMs)) {
          assertThat(time).as("seed %d", seed).isEqualTo(expected);
          assertThat(time).as("seed %d", seed).isLessThanOrEqualTo(now + AHEAD);
          expected += rules.everyMs;
        }
        assertThat(plan.nextFireTime()).as("seed %d", seed).isEqualTo(expected);
      }
    }
  }

  /** The fire times to which a plan gives a fate, rising. */
  private static List<Long> fates(FirePlan plan, long everyMs) {
    LongStream gaps =
        plan.gaps().stream()
            .flatMapToLong(
                gap -> LongStream.iterate(gap.from(), time -> time <= gap.to(), t -> t + everyMs));
    LongStream fires = plan.fires().stream().mapToLong(Planned::fireTime);
    return LongStream.concat(gaps, fires).sorted().boxed().toList();
  }
}
