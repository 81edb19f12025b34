package io.asyncflow.worker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the tests of applications do with schedules: they move the clock and look. */
class FakeSchedulesTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  /** The beginning of an hour, as all intervals of the tests are anchored. */
  private static final Instant NOON = Instant.parse("2026-05-04T12:00:00Z");

  private final AtomicLong millis = new AtomicLong(NOON.toEpochMilli());
  private final FakeFlowServer server =
      new FakeFlowServer(() -> TimeUnit.MILLISECONDS.toNanos(millis.get()))
          .withType("report", Duration.ofSeconds(10), Duration.ofDays(9), Duration.ofDays(9));
  private final ScheduleClient schedules = server.schedules();

  private void pass(Duration time) {
    millis.addAndGet(time.toMillis());
  }

  private static NewTask task() {
    return NewTask.of("report", "build", "ops", "of the night");
  }

  /** Fires at whole multiples of the interval since noon. */
  private static NewSchedule every(Duration interval) {
    return NewSchedule.every("s", interval).anchor(NOON).creating(task());
  }

  private String save(NewSchedule schedule) {
    return schedules.save(schedule).scheduleId();
  }

  private List<Task> hold() {
    return server.holdTasks(
        new HoldRequest("report", 10, "w", 0, UUID.randomUUID().toString(), null));
  }

  private Task holdOne() {
    List<Task> held = hold();
    assertThat(held).hasSize(1);
    return held.get(0);
  }

  private void report(Task task, Outcome outcome) {
    server.report(
        List.of(
            Report.of(task.taskId(), "w", task.leaseEpoch(), outcome)
                .withReportId(UUID.randomUUID().toString())
                .withErrMsg("why")
                .withRetryAfterMs(0L)));
  }

  private List<ScheduleFire> fires(String id) {
    return schedules.fires(id, 1_000, null).fireList();
  }

  private List<ScheduleGap> gaps(String id) {
    return schedules.fires(id, 1_000, null).gapList();
  }

  private List<FireOutcome> outcomes(String id) {
    return fires(id).stream().map(ScheduleFire::outcome).toList();
  }

  private static long at(Duration sinceNoon) {
    return NOON.plus(sinceNoon).toEpochMilli();
  }

  /** Runs what is due, hour by hour; returns the local times of the fires in Berlin. */
  private List<String> localTimesOfRuns(Instant from, int days) {
    millis.set(from.toEpochMilli());
    List<String> times = new ArrayList<>();
    for (int hour = 0; hour < 24 * days; hour++) {
      pass(HOUR);
      for (Task task : hold()) {
        times.add(Instant.ofEpochMilli(task.fireTime()).atZone(BERLIN).toOffsetDateTime() + "");
        report(task, Outcome.SUCCESS);
      }
    }
    return times;
  }

  @Test
  void aNightlyReportRunsOnceAtThreeAlsoInTheNightThatLacksAnHour() {
    Instant friday = Instant.parse("2026-03-27T12:00:00Z");
    millis.set(friday.toEpochMilli());
    save(NewSchedule.cron("nightly", "0 0 3 * * *", BERLIN).creating(task()));

    assertThat(localTimesOfRuns(friday, 3))
        .containsExactly(
            "2026-03-28T03:00+01:00", "2026-03-29T03:00+02:00", "2026-03-30T03:00+02:00");
  }

  @Test
  void aNightlyReportRunsOnceInTheNightThatHasAnHourTwice() {
    Instant friday = Instant.parse("2026-10-23T12:00:00Z");
    millis.set(friday.toEpochMilli());
    save(NewSchedule.cron("nightly", "0 0 2 * * *", BERLIN).creating(task()));

    assertThat(localTimesOfRuns(friday, 3))
        .containsExactly(
            "2026-10-24T02:00+02:00", "2026-10-25T02:00+02:00", "2026-10-26T02:00+01:00");
  }

  @Test
  void aTaskIsHeldFromItsFireTimeOn() {
    String id = save(every(HOUR));
    pass(HOUR.minusMillis(1));
    assertThat(fires(id)).as("it is made ahead").hasSize(1);
    assertThat(hold()).isEmpty();

    pass(Duration.ofMillis(1));

    Task held = holdOne();
    assertThat(held.scheduleId()).isEqualTo(id);
    assertThat(held.fireTime()).isEqualTo(at(HOUR));
    assertThat(held.taskContext()).isEqualTo("of the night");
    pass(MINUTE);
    report(held, Outcome.SUCCESS);
    ScheduleFire fire = fires(id).get(0);
    assertThat(fire.taskId()).isEqualTo(held.taskId());
    assertThat(fire.status()).isEqualTo(TaskStatus.SUCCESS.code());
    assertThat(fire.costMs()).isEqualTo(MINUTE.toMillis());
    assertThat(schedules.get(id).lastFireTime()).isEqualTo(at(HOUR));
  }

  @Test
  void jitterDelaysTheTaskAndNotTheFire() {
    String id = save(every(HOUR).jitter(Duration.ofMinutes(30)));
    pass(HOUR.plus(Duration.ofMinutes(30)));

    Task held = holdOne();

    assertThat(held.fireTime()).isEqualTo(at(HOUR));
    assertThat(held.orderTime()).isBetween(at(HOUR), at(HOUR.plus(Duration.ofMinutes(30))));
    assertThat(fires(id)).extracting(ScheduleFire::fireTime).containsExactly(at(HOUR));
  }

  @Test
  void aSlowRunIsSkipped() {
    String id = save(every(HOUR).overlap(Overlap.SKIP));
    pass(HOUR);
    Task slow = holdOne();
    pass(HOUR);
    assertThat(hold()).isEmpty();
    report(slow, Outcome.SUCCESS);
    pass(HOUR);

    assertThat(holdOne().fireTime()).isEqualTo(at(HOUR.multipliedBy(3)));
    assertThat(outcomes(id))
        .containsExactly(FireOutcome.CREATED, FireOutcome.SKIPPED, FireOutcome.CREATED);
  }

  @Test
  void fireTimesThatPassWhileARunIsWaitedForAreOneRun() {
    String id = save(every(HOUR).overlap(Overlap.WAIT));
    pass(HOUR);
    Task slow = holdOne();
    for (int hour = 0; hour < 3; hour++) {
      pass(HOUR);
      assertThat(hold()).isEmpty();
    }

    report(slow, Outcome.SUCCESS);

    assertThat(holdOne().fireTime()).isEqualTo(at(HOUR.multipliedBy(4)));
    assertThat(gaps(id))
        .containsExactly(
            new ScheduleGap(
                at(HOUR.multipliedBy(2)), at(HOUR.multipliedBy(3)), 2, GapReason.MERGED));
  }

  @Test
  void aJobThatIsReplacedIsCancelled() {
    NewJob job = NewJob.of("report", "ops", "text");
    String id = save(every(HOUR).overlap(Overlap.REPLACE).creating(job));
    pass(HOUR);
    Task slow = holdOne();
    pass(HOUR);

    Task split = holdOne();

    String replaced = fires(id).get(1).jobId();
    assertThat(split.jobId()).isEqualTo(fires(id).get(0).jobId()).isNotEqualTo(replaced);
    assertThat(server.jobs().getJob(replaced).state()).isEqualTo(JobState.CANCELLED);
    assertThat(fires(id).get(1).status()).isEqualTo(TaskStatus.CANCELLED.code());
    HeldTask held = new HeldTask(slow.taskId(), slow.leaseEpoch(), null);
    assertThat(server.heartbeat(new Heartbeat("w", List.of(held))).tasks().get(0).state())
        .isEqualTo(State.CANCEL);
  }

  @Test
  void aRunThatIsReplacedIsCancelled() {
    String id = save(every(HOUR).overlap(Overlap.REPLACE));
    pass(HOUR);
    Task slow = holdOne();
    pass(HOUR);

    assertThat(holdOne().fireTime()).isEqualTo(at(HOUR.multipliedBy(2)));
    HeldTask held = new HeldTask(slow.taskId(), slow.leaseEpoch(), null);
    assertThat(server.heartbeat(new Heartbeat("w", List.of(held))).tasks().get(0).state())
        .isEqualTo(State.CANCEL);
    assertThat(fires(id).get(1).status()).isEqualTo(TaskStatus.CANCELLED.code());
  }

  @Test
  void thePauseAfterARunDoublesWithEachFailure() {
    String id = save(NewSchedule.after("s", MINUTE).creating(task().withMaxRetryNum(0)));
    report(holdOne(), Outcome.FAIL);
    assertThat(schedules.get(id).nextFireTime()).isEqualTo(at(MINUTE.multipliedBy(2)));
    pass(MINUTE.multipliedBy(2));
    report(holdOne(), Outcome.FAIL);
    assertThat(schedules.get(id).nextFireTime()).isEqualTo(at(MINUTE.multipliedBy(6)));
    pass(MINUTE.multipliedBy(4));
    Task third = holdOne();
    assertThat(schedules.get(id).nextFireTime()).as("it follows from the end").isNull();
    report(third, Outcome.SUCCESS);
    assertThat(schedules.get(id).nextFireTime()).isEqualTo(at(MINUTE.multipliedBy(7)));
  }

  @Test
  void theEndOfTheLastRunOfAnEndedSchedulePlansNoFire() {
    String id = save(NewSchedule.after("s", MINUTE).creating(task()).maxFires(1));
    report(holdOne(), Outcome.SUCCESS);

    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ENDED);
    assertThat(schedules.get(id).nextFireTime()).isNull();
  }

  @Test
  void failuresInARowPauseASchedule() {
    String id = save(every(HOUR).pauseAfterFailures(2));
    pass(HOUR);
    report(holdOne(), Outcome.FAIL);
    pass(HOUR);
    report(holdOne(), Outcome.FAIL);

    Schedule paused = schedules.get(id);
    assertThat(paused.state()).isEqualTo(ScheduleState.PAUSED);
    assertThat(paused.failStreak()).isEqualTo(2);
    assertThat(paused.lastError()).contains("failed");
    pass(HOUR);
    assertThat(hold()).isEmpty();
    schedules.resume(id);
    pass(HOUR);
    assertThat(holdOne().scheduleId()).isEqualTo(id);
    assertThat(schedules.get(id).failStreak()).isZero();
  }

  @Test
  void whatAnOutageMissedIsOneRunByDefault() {
    String id = save(every(HOUR));
    server.setDown(true);
    pass(HOUR.multipliedBy(5).plus(MINUTE.multipliedBy(5)));
    server.tick();
    server.setDown(false);

    assertThat(holdOne().fireTime()).isEqualTo(at(HOUR.multipliedBy(5)));
    assertThat(gaps(id))
        .containsExactly(new ScheduleGap(at(HOUR), at(HOUR.multipliedBy(4)), 4, GapReason.MERGED));
  }

  @Test
  void whatAnOutageMissedIsRunOrNotAsTheScheduleSays() {
    String all = save(NewSchedule.every("all", HOUR).creating(task()).catchUp(CatchUp.ALL));
    String none = save(NewSchedule.every("none", HOUR).creating(task()).catchUp(CatchUp.NONE));
    pass(HOUR.multipliedBy(40).minus(SECOND));

    assertThat(outcomes(all).size()).isBetween(39, 41);
    assertThat(fires(all)).extracting(ScheduleFire::fireTime).doesNotHaveDuplicates();
    assertThat(outcomes(none).size()).isLessThan(2);
    assertThat(gaps(none)).extracting(ScheduleGap::reason).containsExactly(GapReason.MISSED);
  }

  @Test
  void aClockThatTicksFromFireToFireMissesNothing() {
    String id = save(every(HOUR));
    for (int hour = 0; hour < 24; hour++) {
      pass(HOUR);
      server.tick();
    }

    assertThat(hold()).hasSize(10);
    assertThat(outcomes(id)).hasSize(24).containsOnly(FireOutcome.CREATED);
    assertThat(gaps(id)).isEmpty();
  }

  @Test
  void aPauseWithdrawsWhatWasMadeAheadAndAResumeBeforeItsTimeMakesItAgain() {
    String id = save(every(HOUR).maxFires(1));
    pass(HOUR.minusSeconds(5));
    String withdrawn = fires(id).get(0).taskId();

    schedules.pause(id);

    assertThat(outcomes(id)).containsExactly(FireOutcome.WITHDRAWN);
    assertThat(server.getTask(withdrawn).taskStatus()).isEqualTo(TaskStatus.CANCELLED);
    assertThat(schedules.get(id).nextFireTime()).isEqualTo(at(HOUR));
    assertThat(schedules.get(id).lastFireTime()).isNull();
    pass(Duration.ofSeconds(2));
    schedules.resume(id);
    assertThat(outcomes(id)).containsExactly(FireOutcome.CREATED);
    assertThat(schedules.get(id).fireCount()).isEqualTo(1);
    pass(Duration.ofSeconds(3));
    assertThat(holdOne().fireTime()).isEqualTo(at(HOUR));
  }

  @Test
  void theFireTimesOfAPauseAreAGapUnlessTheyAreCaughtUp() {
    String id = save(every(HOUR).catchUp(CatchUp.ALL));
    schedules.pause(id);
    pass(HOUR.multipliedBy(3));
    schedules.resume(id);

    assertThat(fires(id)).isEmpty();
    assertThat(gaps(id))
        .containsExactly(new ScheduleGap(at(HOUR), at(HOUR.multipliedBy(3)), 3, GapReason.PAUSED));

    schedules.pause(id);
    pass(HOUR.multipliedBy(3));
    schedules.resume(id, true, "ann", "maintenance is over");

    assertThat(outcomes(id)).hasSize(3).containsOnly(FireOutcome.CREATED);
  }

  @Test
  void aPauseUntilATimeEndsByItself() {
    String id = save(every(HOUR));
    schedules.pause(id, NOON.plus(HOUR.multipliedBy(2)).plus(MINUTE), null, null);
    pass(HOUR.multipliedBy(2));
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.PAUSED);
    pass(HOUR);

    assertThat(holdOne().fireTime()).isEqualTo(at(HOUR.multipliedBy(3)));
    assertThat(schedules.get(id).pauseUntil()).isNull();
    assertThat(gaps(id))
        .containsExactly(new ScheduleGap(at(HOUR), at(HOUR.multipliedBy(2)), 2, GapReason.PAUSED));
  }

  @Test
  void aScheduleEndsAfterItsLastFireAndASaveWithALaterEndLetsItGoOn() {
    String byCount = save(every(HOUR).maxFires(2));
    NewSchedule limited = NewSchedule.every("t", HOUR).anchor(NOON).creating(task());
    String byTime = save(limited.endTime(NOON.plus(HOUR.multipliedBy(3))));
    for (int hour = 0; hour < 5; hour++) {
      pass(HOUR);
      server.tick();
    }

    assertThat(fires(byCount)).hasSize(2);
    assertThat(fires(byTime)).hasSize(2);
    assertThat(schedules.get(byCount).state()).isEqualTo(ScheduleState.ENDED);
    assertThat(schedules.get(byTime).state()).isEqualTo(ScheduleState.ENDED);
    assertThat(schedules.get(byTime).nextFireTime()).isNull();

    SavedSchedule saved = schedules.save(limited.endTime(NOON.plus(DAY)));
    assertThat(saved.outcome()).isEqualTo(SaveOutcome.CHANGED);
    assertThat(saved.nextFireTime()).isEqualTo(at(HOUR.multipliedBy(6)));
    assertThat(schedules.get(byTime).state()).isEqualTo(ScheduleState.ACTIVE);
  }

  @Test
  void aTriggerMakesOneRunPerKeyBesideThePlan() {
    String id = save(every(DAY).overlap(Overlap.SKIP));

    String first = schedules.trigger(id, "k").taskId();

    assertThat(schedules.trigger(id, "k").taskId()).isEqualTo(first);
    assertThat(schedules.trigger(id, null).taskId()).isNotEqualTo(first);
    assertThat(fires(id)).hasSize(2).allSatisfy(fire -> assertThat(fire.manual()).isTrue());
    assertThat(schedules.get(id).fireCount()).isEqualTo(2);
    assertThat(schedules.get(id).lastFireTime()).as("of the plan").isNull();
    assertThat(hold()).hasSize(2).extracting(Task::scheduleId).containsOnly(id);
  }

  @Test
  void aTriggerLeavesAFireTimeThatWaitsToThePlan() {
    String id = save(every(HOUR).overlap(Overlap.WAIT));
    pass(HOUR);
    Task slow = holdOne();
    pass(HOUR);
    schedules.trigger(id, null);
    report(slow, Outcome.SUCCESS);

    assertThat(fires(id))
        .extracting(ScheduleFire::fireTime, ScheduleFire::manual)
        .containsExactly(
            tuple(at(HOUR.multipliedBy(2)) + 1, true),
            tuple(at(HOUR.multipliedBy(2)), false),
            tuple(at(HOUR), false));
  }

  @Test
  void aTriggerWithTheKeyOfATaskIsNoFire() {
    String id = save(every(DAY));
    String taskId = server.createTask(task().withIdempotencyKey("k"));

    assertThat(schedules.trigger(id, "k").taskId()).isEqualTo(taskId);
    assertThat(fires(id)).isEmpty();
  }

  @Test
  void aBackfillMakesWhatHasNoRunAndARepeatMakesNone() {
    String id = save(every(HOUR));
    Instant from = NOON.minus(HOUR.multipliedBy(10));

    Backfilled part = schedules.backfill(id, from, NOON, 4);
    Backfilled rest = schedules.backfill(id, Instant.ofEpochMilli(part.nextFrom()), NOON, 100);

    assertThat(part).isEqualTo(new Backfilled(4, at(HOUR.multipliedBy(-7)) + 1));
    assertThat(rest).isEqualTo(new Backfilled(6, null));
    assertThat(schedules.backfill(id, from, NOON, 100).made()).isZero();
    assertThat(fires(id)).hasSize(10);
    assertThat(hold()).extracting(Task::fireTime).doesNotHaveDuplicates().hasSize(10);
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.backfill(id, NOON.minus(DAY.multipliedBy(30)), NOON, 1));
  }

  @Test
  void aBackfillMakesWhatWasSkipped() {
    String id = save(every(HOUR).overlap(Overlap.SKIP));
    pass(HOUR);
    holdOne();
    pass(HOUR);
    assertThat(outcomes(id)).containsExactly(FireOutcome.SKIPPED, FireOutcome.CREATED);
    pass(MINUTE);

    Instant now = Instant.ofEpochMilli(millis.get());
    assertThat(schedules.backfill(id, NOON.plus(HOUR), now, 10).made()).isEqualTo(1);
    assertThat(outcomes(id)).containsOnly(FireOutcome.CREATED);
  }

  @Test
  void aSaveCreatesChangesKeepsAndWritesNothing() {
    NewSchedule nightly = NewSchedule.cron("n", "0 0 3 * * *", BERLIN).creating(task());
    SavedSchedule created = schedules.save(nightly.revision(2));
    long version = schedules.get(created.scheduleId()).version();

    assertThat(created.outcome()).isEqualTo(SaveOutcome.CREATED);
    assertThat(schedules.save(nightly.revision(2)).outcome()).isEqualTo(SaveOutcome.UNCHANGED);
    assertThat(schedules.save(nightly.revision(1)).outcome()).isEqualTo(SaveOutcome.KEPT);
    assertThat(schedules.get(created.scheduleId()).version()).isEqualTo(version);
    SavedSchedule changed = schedules.save(nightly.jitter(SECOND).revision(2), version);
    assertThat(changed)
        .isEqualTo(
            new SavedSchedule(created.scheduleId(), SaveOutcome.CHANGED, created.nextFireTime()));
    assertThat(schedules.find("n").definition().jitterMs()).isEqualTo(1_000);
    assertRefused(ErrorCode.CHANGED_MEANWHILE, () -> schedules.save(nightly.revision(3), version));
    assertRefused(ErrorCode.CHANGED_MEANWHILE, () -> schedules.save(nightly.revision(3), 0));
  }

  @Test
  void aRepeatedPauseSetsItsEndAnew() {
    String id = save(every(HOUR));
    schedules.pause(id, NOON.plus(DAY), "ann", "for a day");

    schedules.pause(id);

    assertThat(schedules.get(id).pauseUntil()).isNull();
    pass(DAY.multipliedBy(2));
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.PAUSED);
  }

  @Test
  void aTriggerInTheMillisecondOfTheNextFireTakesNotItsPlace() {
    String id = save(NewSchedule.after("s", SECOND).creating(task()));
    report(holdOne(), Outcome.SUCCESS);
    Duration half = Duration.ofMillis(500);
    pass(half);
    schedules.trigger(id, null);

    schedules.save(NewSchedule.after("s", MINUTE).creating(task()));
    pass(SECOND);

    assertThat(schedules.get(id).lastFireTime()).isEqualTo(at(half) + 1);
    assertThat(schedules.get(id).fireCount()).isEqualTo(3);
  }

  @Test
  void firesDoNotChangeTheVersionAndCallersDo() {
    String id = save(every(HOUR));
    long version = schedules.get(id).version();
    pass(HOUR.multipliedBy(3));
    assertThat(schedules.get(id).version()).as("after fires").isEqualTo(version);

    schedules.pause(id);
    long afterPause = schedules.get(id).version();
    schedules.resume(id);
    long afterResume = schedules.get(id).version();
    schedules.delete(id);
    long saved = schedules.get(save(every(HOUR))).version();

    assertThat(List.of(version, afterPause, afterResume, saved)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aChangeOfThePlanWithdrawsTheFiresOfTheOldOne() {
    String id = save(every(HOUR));
    pass(HOUR.minus(SECOND));
    assertThat(outcomes(id)).containsExactly(FireOutcome.CREATED);

    SavedSchedule changed = schedules.save(every(DAY));

    assertThat(outcomes(id)).containsExactly(FireOutcome.WITHDRAWN);
    assertThat(changed.nextFireTime()).isEqualTo(at(DAY));
    pass(SECOND);
    assertThat(hold()).isEmpty();
  }

  @Test
  void aListIsSavedAllOrNone() {
    NewSchedule good = NewSchedule.every("good", HOUR).creating(task());
    NewSchedule bad = NewSchedule.every("bad", HOUR).creating(NewTask.of("none", "s", "u", ""));
    NewSchedule past = every(HOUR).endTime(NOON);

    assertRefused(ErrorCode.NO_SUCH_TASK_TYPE, () -> schedules.saveAll(List.of(good, bad)));
    assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.saveAll(List.of(good, past)));
    assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.saveAll(List.of(good, good)));
    assertThat(schedules.list(ScheduleListRequest.all()).scheduleList()).isEmpty();
    assertThat(schedules.saveAll(List.of(good, every(HOUR))))
        .extracting(SavedSchedule::outcome)
        .containsOnly(SaveOutcome.CREATED);
  }

  @Test
  void aDefinitionThatTheServerRefusesIsRefused() {
    NewSchedule hourly = every(HOUR);
    List<NewSchedule> refused =
        List.of(
            NewSchedule.cron("c", "0 0 0 30 2 *", BERLIN).creating(task()),
            NewSchedule.cron("c", "no cron", BERLIN).creating(task()),
            NewSchedule.cron("c", "0 0 3 * * *", ZoneId.of("+02:00")).creating(task()),
            NewSchedule.every("e", Duration.ofMillis(999)).creating(task()),
            NewSchedule.after("a", Duration.ofMillis(999)).creating(task()),
            NewSchedule.every(" e", HOUR).creating(task()),
            NewSchedule.every("e", HOUR),
            NewSchedule.after("a", HOUR).creating(task()).overlap(Overlap.SKIP),
            withTwoPlans(hourly),
            hourly.creating(task().withDelayMs(5)),
            hourly.creating(task().withIdempotencyKey("k")),
            hourly.creating(task().withTaskContext("\"".repeat(4_096))), // 8,192 bytes of JSON
            hourly.startTime(NOON.plus(DAY)).endTime(NOON.plus(HOUR)),
            hourly.maxFires(0),
            hourly.catchUpLimit(1_001),
            hourly.weight(0));

    assertThat(refused)
        .allSatisfy(one -> assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.save(one)));
    assertRefused(
        ErrorCode.NO_SUCH_TASK_TYPE,
        () -> schedules.save(hourly.creating(NewJob.of("none", "ops", "text"))));
    assertRefused(ErrorCode.NO_SUCH_SCHEDULE, () -> schedules.find("s"));
  }

  @Test
  void aChangeToAnEndWithoutAFireBeforeItIsRefused() {
    String id = save(every(HOUR));

    assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.save(every(HOUR).endTime(NOON)));
    assertRefused(
        ErrorCode.INVALID_INPUT, () -> schedules.save(every(HOUR).endTime(NOON.plus(HOUR))));
    assertThat(schedules.save(every(HOUR).endTime(NOON.plus(DAY))))
        .isEqualTo(new SavedSchedule(id, SaveOutcome.CHANGED, at(HOUR)));
  }

  @Test
  void aChangeToAsManyFiresAsAreMadeEndsASchedule() {
    String id = save(every(HOUR));
    schedules.trigger(id, null);

    assertThat(schedules.save(every(HOUR).maxFires(1)))
        .isEqualTo(new SavedSchedule(id, SaveOutcome.ENDED, null));
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ENDED);
    pass(DAY);
    server.tick();
    assertThat(outcomes(id)).hasSize(1);
  }

  @Test
  void aPauseUntilAPastTimeIsRefused() {
    String id = save(every(HOUR));

    assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.pause(id, NOON, "", ""));
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ACTIVE);
  }

  @Test
  void aPreviewKeepsTheLimitsOfItsDefinition() {
    NewSchedule hourly = every(HOUR).startTime(NOON.plus(DAY));
    String id = save(hourly.maxFires(3));
    schedules.trigger(id, null);

    assertThat(
            schedules
                .preview(
                    FirePreviewRequest.of(hourly.endTime(NOON.plus(DAY).plus(HOUR)).maxFires(9)))
                .times())
        .containsExactly(at(DAY));
    assertThat(schedules.preview(FirePreviewRequest.of(schedules.get(id))).times())
        .containsExactly(at(DAY), at(DAY.plus(HOUR)));
  }

  @Test
  void aTestMovesItsOwnClock() {
    AtomicReference<Instant> now = new AtomicReference<>(NOON);
    FakeFlowServer fake = FakeFlowServer.at(now::get).withType("report");
    String id = fake.schedules().save(every(HOUR)).scheduleId();

    now.set(NOON.plus(HOUR));
    fake.tick();

    assertThat(fake.schedules().fires(id, 10, null).fireList())
        .extracting(ScheduleFire::fireTime)
        .containsExactly(at(HOUR));
  }

  @Test
  void aScheduleThatPausesItselfSaysWhy() {
    String id = save(every(HOUR).creating(task().withMaxRetryNum(0)).pauseAfterFailures(1));
    pass(HOUR);
    report(holdOne(), Outcome.FAIL);

    Schedule paused = schedules.get(id);
    assertThat(paused.state()).isEqualTo(ScheduleState.PAUSED);
    assertThat(paused.lastError()).endsWith("failed; paused after 1 failed run");
  }

  private static NewSchedule withTwoPlans(NewSchedule every) {
    return new NewSchedule(
        every.name(),
        "0 0 3 * * *",
        null,
        every.everyMs(),
        null,
        null,
        every.taskData(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  @Test
  void aDeletedScheduleLeavesItsHistoryAndNoTask() {
    String id = save(every(HOUR));
    pass(HOUR.minus(SECOND));

    schedules.delete(id);

    assertRefused(ErrorCode.NO_SUCH_SCHEDULE, () -> schedules.get(id));
    assertRefused(ErrorCode.NO_SUCH_SCHEDULE, () -> schedules.pause(id));
    assertRefused(ErrorCode.NO_SUCH_SCHEDULE, () -> schedules.trigger(id, null));
    assertThat(outcomes(id)).containsExactly(FireOutcome.WITHDRAWN);
    pass(HOUR);
    assertThat(hold()).isEmpty();
    assertThat(save(every(HOUR))).isNotEqualTo(id);
  }

  @Test
  void aScheduleMakesJobs() {
    NewJob job = NewJob.of("report", "ops", "text");
    String id = save(NewSchedule.every("s", HOUR).anchor(NOON).creating(job).overlap(Overlap.WAIT));
    pass(HOUR);
    Task split = holdOne();
    String jobId = fires(id).get(0).jobId();
    assertThat(split.jobId()).isEqualTo(jobId);
    assertThat(server.jobs().getJob(jobId).scheduleId()).isEqualTo(id);
    assertThat(server.jobs().getJob(jobId).fireTime()).isEqualTo(at(HOUR));
    pass(HOUR);
    assertThat(hold()).as("the job lives").isEmpty();

    report(split, Outcome.SUCCESS);
    report(holdOne(), Outcome.SUCCESS);

    assertThat(server.jobs().getJob(jobId).state()).isEqualTo(JobState.SUCCESS);
    assertThat(fires(id)).hasSize(2);
    assertThat(fires(id).get(1).status()).isEqualTo(TaskStatus.SUCCESS.code());
    assertThat(schedules.trigger(id, "k")).isEqualTo(schedules.trigger(id, "k"));
    assertThat(fires(id)).hasSize(3);
  }

  @Test
  void eachMissedFireOfAScheduleMakesAJob() {
    NewJob job = NewJob.of("report", "ops", "text");
    String id = save(every(HOUR).creating(job).catchUp(CatchUp.ALL));
    pass(HOUR.multipliedBy(20));

    assertThat(fires(id)).extracting(ScheduleFire::jobId).doesNotContainNull().hasSize(20);
    assertThat(gaps(id)).isEmpty();
  }

  @Test
  void aRunThatAnOperatorRetriesHasNotEnded() {
    String id = save(every(HOUR).overlap(Overlap.SKIP));
    pass(HOUR);
    Task failed = holdOne();
    report(failed, Outcome.FAIL);
    assertThat(fires(id).get(0).status()).isEqualTo(TaskStatus.FAILED.code());

    server.retryTask(failed.taskId());

    assertThat(fires(id).get(0).status()).isNull();
    pass(HOUR);
    assertThat(outcomes(id)).containsExactly(FireOutcome.SKIPPED, FireOutcome.CREATED);
  }

  @Test
  void aPreviewShowsTheNightWithoutThree() {
    FirePreview preview =
        schedules.preview(
            FirePreviewRequest.ofCron("0 30 2 * * *", BERLIN)
                .from(Instant.parse("2026-03-28T00:00:00Z"))
                .count(3));

    assertThat(preview.localTimes())
        .containsExactly(
            "2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00");
    assertThat(preview.kind()).isEqualTo(FirePreview.Kind.FIXED);
    assertThat(schedules.preview(FirePreviewRequest.ofInterval(HOUR)).times())
        .hasSize(10)
        .startsWith(at(HOUR));
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () ->
            schedules.preview(
                new FirePreviewRequest(null, null, null, null, null, null, null, null, null)));
  }

  @Test
  void listsShowTheNewestFirstAndGoOnFromTheirCursors() {
    server.withType("other");
    for (int i = 0; i < 5; i++) {
      save(NewSchedule.every("s" + i, HOUR).creating(task()));
    }
    save(NewSchedule.every("o", HOUR).creating(NewTask.of("other", "s", "u", "")));
    schedules.pause(schedules.find("s2").scheduleId());

    ScheduleListRequest two = new ScheduleListRequest(Set.of(), "Report", 2, null);
    assertThat(schedules.list(two).scheduleList())
        .extracting(Schedule::name)
        .containsExactly("s4", "s3");
    assertThat(schedules.list(two.withCursor(schedules.list(two).nextCursor())).scheduleList())
        .extracting(Schedule::name)
        .containsExactly("s2", "s1");
    assertThat(
            schedules
                .list(new ScheduleListRequest(Set.of(ScheduleState.PAUSED), null, null, null))
                .scheduleList())
        .extracting(Schedule::name)
        .containsExactly("s2");
  }

  @Test
  void aHistoryHasPages() {
    String id = save(every(HOUR));
    schedules.backfill(id, NOON.minus(HOUR.multipliedBy(3)), NOON, 10);

    FirePage first = schedules.fires(id, 2, null);
    FirePage second = schedules.fires(id, 2, first.nextCursor());

    assertThat(first.fireList())
        .extracting(ScheduleFire::fireTime)
        .containsExactly(at(HOUR.negated()), at(HOUR.multipliedBy(-2)));
    assertThat(second.fireList())
        .extracting(ScheduleFire::fireTime)
        .containsExactly(at(HOUR.multipliedBy(-3)));
    assertThat(second.nextCursor()).isNull();
  }

  @Test
  void aParkedHoldGetsTheTaskOfAFire() throws Exception {
    FakeFlowServer real = new FakeFlowServer().withType("report");
    CompletableFuture<List<Task>> parked =
        CompletableFuture.supplyAsync(
            () -> real.holdTasks(new HoldRequest("report", 1, "w", 30_000, "h", null)),
            run -> new Thread(run).start());
    assertThat(real.awaitHolds(1, PATIENCE)).isTrue();

    real.schedules().save(NewSchedule.after("s", SECOND).creating(task()));

    assertThat(parked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
    assertThat(real.getTaskList("report", TaskPageRequest.of()).taskList()).hasSize(1);
  }

  @Test
  void aWorkerRunsTheScheduleThatItBrings() throws Exception {
    CompletableFuture<Instant> fireTime = new CompletableFuture<>();
    Worker worker =
        Worker.builder()
            .client(server)
            .handler(
                "report",
                "build",
                context -> {
                  fireTime.complete(context.fireTime().orElseThrow());
                  return StageResult.done();
                })
            .schedule(NewSchedule.cron("nightly", "0 0 3 * * *", BERLIN).creating(task()))
            .build();
    worker.start();
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> !schedules.list(ScheduleListRequest.all()).scheduleList().isEmpty());
      Instant night = Instant.parse("2026-05-05T01:00:00Z");
      millis.set(night.toEpochMilli());
      server.tick();

      assertThat(fireTime.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(night);
    } finally {
      worker.stop(Duration.ZERO);
    }
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(code));
  }
}
