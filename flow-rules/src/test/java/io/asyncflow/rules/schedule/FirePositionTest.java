package io.asyncflow.rules.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.rules.schedule.FirePlan.Planned;
import io.asyncflow.rules.schedule.FirePosition.Fired;
import io.asyncflow.rules.schedule.FirePosition.Resumed;
import io.asyncflow.rules.schedule.RunEffect.Ended;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FirePositionTest {

  private static final long HOUR = 3_600_000;
  private static final long NOW = 480_000 * HOUR;
  private static final FireRules HOURLY = rules(FireTimes.every(HOUR, 0), null);
  private static final FireRules AFTER = rules(null, HOUR);
  private static final Fired LAST = new Fired(NOW - HOUR, "run-1");

  private static FireRules rules(FireTimes times, Long afterMs) {
    return new FireRules(
        7,
        times,
        afterMs,
        null,
        3L,
        Overlap.ALLOW,
        CatchUp.LATEST,
        7 * 24 * HOUR,
        100,
        0,
        2,
        false);
  }

  /** A schedule that has made the fire of an hour ago. */
  private static FirePosition fired(FireRules rules) {
    FirePlan plan =
        new FirePlan(List.of(new Planned(LAST.time(), true)), List.of(), NOW, NOW, false);
    return FirePosition.first(rules, LAST.time(), 0).advanced(plan, List.of(LAST));
  }

  @Test
  void aPlanThatCreatesNothingKeepsTheLastRunAndItsError() {
    FirePosition before = fired(HOURLY).refused("full", NOW + 1);
    FirePlan plan = new FirePlan(List.of(), List.of(), NOW + HOUR, NOW + HOUR, false);

    FirePosition after = before.advanced(plan, List.of());

    assertThat(after.lastError()).isEqualTo("full");
    assertThat(after.lastRun()).isEqualTo("run-1");
    assertThat(after.fireCount()).isEqualTo(1);
    assertThat(after.nextFireTime()).isEqualTo(NOW + HOUR);
    assertThat(before.advanced(plan, List.of(new Fired(NOW, "run-2"))).lastError()).isNull();
  }

  @Test
  void whatIsTakenBackComesNext() {
    FirePosition ahead = fired(HOURLY).counted(2);

    FirePosition back = ahead.takenBack(2, NOW + 1, LAST);

    assertThat(back.fireCount()).isEqualTo(1);
    assertThat(back.nextFireTime()).isEqualTo(NOW + 1);
    assertThat(back.lastFireTime()).isEqualTo(LAST.time());
    assertThat(ahead.takenBack(3, NOW + 1, null).lastRun()).isNull();
  }

  @Test
  void theFireTimesOfAPauseBecomeAGapUnlessTheyAreCaughtUp() {
    FirePosition paused = fired(HOURLY).paused(NOW + 9 * HOUR);
    assertThat(paused.wakeTime()).isEqualTo(NOW + 9 * HOUR);

    Resumed resumed = paused.resumed(HOURLY, false, NOW + HOUR, 0);

    assertThat(resumed.gap()).isEqualTo(new FireGap(NOW, NOW + HOUR, 2, GapReason.PAUSED));
    assertThat(resumed.position().state()).isEqualTo(ScheduleState.ACTIVE);
    assertThat(resumed.position().pauseUntil()).isNull();
    assertThat(resumed.position().nextFireTime()).isEqualTo(NOW + 2 * HOUR);
    assertThat(paused.resumed(HOURLY, true, NOW + HOUR, 0).position().nextFireTime())
        .isEqualTo(NOW);
  }

  @Test
  void aResumeForgetsTheFailuresAndLooksAtARowThatIsNotUnderstood() {
    FirePosition failed =
        after(fired(HOURLY), TaskStatus.FAILED, HOURLY).orElseThrow().after().paused(null);
    assertThat(failed.failStreak()).isEqualTo(1);

    FirePosition resumed = failed.resumed(null, false, NOW, 0).position();

    assertThat(resumed.failStreak()).isZero();
    assertThat(resumed.wakeTime()).isEqualTo(NOW);
  }

  @Test
  void aChangedDefinitionRevivesAnEndedScheduleUnlessAllItsFiresAreMade() {
    FirePlan end = new FirePlan(List.of(), List.of(), null, null, true);
    FirePosition ended = fired(HOURLY).advanced(end, List.of());
    assertThat(ended.state()).isEqualTo(ScheduleState.ENDED);

    assertThat(ended.redefined(HOURLY, NOW, 0).state()).isEqualTo(ScheduleState.ACTIVE);
    assertThat(ended.counted(2).redefined(HOURLY, NOW, 0).state()).isEqualTo(ScheduleState.ENDED);
    assertThat(ended.paused(null).redefined(HOURLY, NOW, 0).wakeTime()).isNull();
  }

  private static Optional<RunEffect> after(FirePosition at, TaskStatus status, FireRules rules) {
    String error = status == TaskStatus.FAILED ? "task run-1 failed" : null;
    return RunEffect.of(rules, at, new Ended("run-1", status, NOW, error), NOW);
  }

  @Test
  void theEndOfTheLastRunSetsTheNextFire() {
    FirePosition waits = fired(AFTER).advanced(nothing(), List.of());

    RunEffect effect = after(waits, TaskStatus.SUCCESS, AFTER).orElseThrow();

    assertThat(effect.isAwaited()).isTrue();
    assertThat(effect.after().nextFireTime()).isEqualTo(NOW + HOUR);
    assertThat(effect.after().wakeTime()).isEqualTo(NOW);
  }

  private static FirePlan nothing() {
    return new FirePlan(List.of(), List.of(), null, null, false);
  }

  @Test
  void theSecondFailureInARowPausesTheSchedule() {
    FirePosition once = after(fired(HOURLY), TaskStatus.FAILED, HOURLY).orElseThrow().after();
    assertThat(once.isActive()).isTrue();

    RunEffect twice = after(once, TaskStatus.FAILED, HOURLY).orElseThrow();

    assertThat(twice.pauses()).isTrue();
    assertThat(twice.after().state()).isEqualTo(ScheduleState.PAUSED);
    assertThat(twice.after().wakeTime()).isNull();
    assertThat(twice.after().lastError())
        .isEqualTo("task run-1 failed; paused after 2 failed runs in a row");
    assertThat(after(fired(HOURLY), TaskStatus.SUCCESS, HOURLY)).as("changes nothing").isEmpty();
  }
}
