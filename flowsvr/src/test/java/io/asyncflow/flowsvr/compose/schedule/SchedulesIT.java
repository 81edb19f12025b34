package io.asyncflow.flowsvr.compose.schedule;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
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
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The life of a schedule, over HTTP, with the loops of a real server. */
@UnsweptServer
@Tag("contract")
class SchedulesIT {

  private static final Duration LONG = ofSeconds(30);
  private static final Duration YEAR = Duration.ofDays(365);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private HttpFlowClient client;
  private ScheduleClient schedules;
  private TaskType report;
  private final String name = "s-" + UUID.randomUUID();

  @BeforeEach
  void aType() {
    client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    schedules = client.schedules();
    report = given.aType().create();
  }

  @AfterEach
  void leaveNoSchedule() {
    ScheduleListRequest all = ScheduleListRequest.all();
    schedules.list(all).scheduleList().forEach(one -> schedules.delete(one.scheduleId()));
  }

  private NewTask task() {
    return NewTask.of(report.name(), "build", "ops", "{\"of\":\"the night\"}");
  }

  private NewSchedule every(Duration interval) {
    return NewSchedule.every(name, interval).creating(task());
  }

  /** Saves a schedule whose own plan does not come in the time of a test. */
  private String saveRare(NewSchedule schedule) {
    return schedules.save(schedule).scheduleId();
  }

  /** Lets the next fire time be so long ago. */
  private void missSince(String id, Duration ago) {
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = next_fire_time - every_ms * CEIL((next_fire_time -
                  (CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) - :ago)) / every_ms),
                wake_time = 0,
                fence = fence + 1
            WHERE id = :id
            """)
        .param("ago", ago.toMillis())
        .param("id", id)
        .update();
  }

  private List<ScheduleFire> fires(String id) {
    return schedules.fires(id, 1_000, null).fireList();
  }

  private List<ScheduleFire> fires(String id, FireOutcome outcome) {
    return fires(id).stream().filter(fire -> fire.outcome() == outcome).toList();
  }

  private List<ScheduleFire> awaitFires(String id, FireOutcome outcome, int count) {
    return await()
        .atMost(LONG)
        .pollInterval(ofMillis(50))
        .until(() -> fires(id, outcome), found -> found.size() >= count);
  }

  private Task hold(String worker) {
    return given.aHold(report).by(worker).waiting(20, SECONDS).join().get(0);
  }

  @Test
  void aSaveCreatesChangesKeepsAndWritesNothing() {
    NewSchedule nightly =
        NewSchedule.cron(name, "0 0 3 * * *", ZoneId.of("Europe/Berlin")).creating(task());

    SavedSchedule created = schedules.save(nightly.revision(2));
    long version = schedules.get(created.scheduleId()).version();

    assertThat(created.outcome()).isEqualTo(SaveOutcome.CREATED);
    assertThat(schedules.save(nightly.revision(2)).outcome()).isEqualTo(SaveOutcome.UNCHANGED);
    assertThat(schedules.save(nightly.revision(1)).outcome()).isEqualTo(SaveOutcome.KEPT);
    assertThat(schedules.get(created.scheduleId()).version()).isEqualTo(version);
    SavedSchedule changed = schedules.save(nightly.jitter(ofSeconds(5)).revision(2));
    assertThat(changed.outcome()).isEqualTo(SaveOutcome.CHANGED);
    assertThat(changed.scheduleId()).isEqualTo(created.scheduleId());
    assertThat(changed.nextFireTime()).isEqualTo(created.nextFireTime());
    Schedule read = schedules.find(name);
    assertThat(read.definition().jitterMs()).isEqualTo(5_000);
    assertThat(read.definition().taskData().taskStage()).isEqualTo("build");
    assertThat(read.state()).isEqualTo(ScheduleState.ACTIVE);
  }

  @Test
  void whatWasReadCanBeSavedAndPreviewed() {
    NewTask task = task().withMaxRetryNum(2);
    List<NewSchedule> all =
        List.of(
            every(Duration.ofHours(1)),
            every(YEAR).startTime(Instant.now().plus(YEAR)),
            NewSchedule.cron(name, "@daily", ZoneId.of("Europe/Berlin")).creating(task),
            NewSchedule.after(name, ofSeconds(1))
                .creating(task)
                .startTime(Instant.now().plus(YEAR)),
            NewSchedule.every(name, YEAR).creating(NewJob.of(report.name(), "ops", "text")));
    for (NewSchedule schedule : all) {
      schedules.save(schedule);
      NewSchedule read = schedules.find(name).definition();

      assertThat(schedules.save(read).outcome()).isEqualTo(SaveOutcome.UNCHANGED);
      assertThat(schedules.save(read.weight(2)).outcome()).isEqualTo(SaveOutcome.CHANGED);
      if (read.afterMs() == null) {
        assertThat(schedules.preview(FirePreviewRequest.of(read)).times()).isNotEmpty();
      }
    }
  }

  @Test
  void nothingFiresMoreOftenThanOnceASecond() {
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.save(NewSchedule.after(name, ofMillis(999)).creating(task())));
    assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.save(every(ofMillis(999))));
  }

  @Test
  void tenWorkersThatSaveAtOnceCreateOneSchedule() {
    NewSchedule nightly = every(YEAR);

    List<SavedSchedule> saved = AtOnce.from(10, i -> schedules.save(nightly));

    assertThat(saved).extracting(SavedSchedule::scheduleId).containsOnly(saved.get(0).scheduleId());
    assertThat(saved.stream().filter(one -> one.outcome() == SaveOutcome.CREATED)).hasSize(1);
    assertThat(saved.stream().filter(one -> one.outcome() == SaveOutcome.UNCHANGED)).hasSize(9);
  }

  @Test
  void aSaveOfAnOldVersionIsRefused() {
    String id = saveRare(every(YEAR));
    long version = schedules.get(id).version();
    schedules.save(every(YEAR.minusDays(1)), version);

    assertRefused(
        ErrorCode.CHANGED_MEANWHILE, () -> schedules.save(every(YEAR.minusDays(2)), version));
    assertRefused(ErrorCode.CHANGED_MEANWHILE, () -> schedules.save(every(YEAR), 0));
  }

  @Test
  void firesDoNotChangeTheVersionAndCallersDo() {
    String id = saveRare(every(ofSeconds(1)));
    long version = schedules.get(id).version();
    awaitFires(id, FireOutcome.CREATED, 5);
    assertThat(schedules.get(id).version()).as("after fires").isEqualTo(version);

    SavedSchedule changed = schedules.save(every(ofSeconds(1)).jitter(ofMillis(1)), version);
    long afterSave = schedules.get(id).version();
    schedules.pause(id);
    long afterPause = schedules.get(id).version();
    schedules.resume(id);
    long afterResume = schedules.get(id).version();
    schedules.resume(id);

    assertThat(changed.outcome()).isEqualTo(SaveOutcome.CHANGED);
    assertThat(List.of(version, afterSave, afterPause, afterResume))
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(schedules.get(id).version()).isEqualTo(afterResume);
  }

  @Test
  void theVersionOfADeletedScheduleIsNotThatOfTheNext() {
    String id = saveRare(every(YEAR));
    long version = schedules.get(id).version();
    schedules.delete(id);
    saveRare(every(YEAR));

    assertRefused(
        ErrorCode.CHANGED_MEANWHILE, () -> schedules.save(every(YEAR.minusDays(1)), version));
  }

  @Test
  void aListIsSavedAllOrNone() {
    List<NewSchedule> hundred =
        IntStream.range(0, 100)
            .mapToObj(i -> NewSchedule.every(name + "-" + i, YEAR).creating(task()))
            .toList();
    NewSchedule bad =
        NewSchedule.every(name + "-x", YEAR).creating(NewTask.of("no_such", "s", "u", ""));

    assertRefused(
        ErrorCode.NO_SUCH_TASK_TYPE, () -> schedules.saveAll(List.of(hundred.get(0), bad)));
    assertThat(schedules.list(ScheduleListRequest.all()).scheduleList()).isEmpty();
    assertThat(schedules.saveAll(hundred))
        .extracting(SavedSchedule::outcome)
        .containsOnly(SaveOutcome.CREATED);
    assertThat(schedules.saveAll(hundred))
        .extracting(SavedSchedule::outcome)
        .containsOnly(SaveOutcome.UNCHANGED);
  }

  @Test
  void whatNeverFiresIsRefusedWithAReason() {
    ZoneId utc = ZoneId.of("UTC");
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.save(NewSchedule.cron(name, "0 0 0 30 2 *", utc).creating(task())));
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.save(NewSchedule.cron(name, "no cron", utc).creating(task())));
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.save(every(YEAR).endTime(Instant.now().minusSeconds(60))));
    assertRefused(ErrorCode.INVALID_INPUT, () -> schedules.save(NewSchedule.every(name, YEAR)));
    assertRefused(
        ErrorCode.INVALID_INPUT, () -> schedules.save(every(YEAR).creating(task().withDelayMs(5))));
  }

  @Test
  void aChangeToAnEndWithoutAFireBeforeItIsRefused() {
    String id = saveRare(every(YEAR));

    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.save(every(YEAR).endTime(Instant.now().minusSeconds(60))));
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.save(every(YEAR).endTime(Instant.ofEpochMilli(nextFireTime(id)))));
    assertThat(schedules.save(every(YEAR).endTime(Instant.ofEpochMilli(nextFireTime(id) + 1))))
        .isEqualTo(new SavedSchedule(id, SaveOutcome.CHANGED, nextFireTime(id)));
  }

  private long nextFireTime(String id) {
    return schedules.get(id).nextFireTime();
  }

  @Test
  void aChangeToAsManyFiresAsAreMadeEndsASchedule() {
    String id = saveRare(every(YEAR));
    schedules.trigger(id, null);
    schedules.trigger(id, null);

    assertThat(schedules.save(every(YEAR).maxFires(2)))
        .isEqualTo(new SavedSchedule(id, SaveOutcome.ENDED, null));
    Schedule ended = schedules.get(id);
    assertThat(ended.state()).isEqualTo(ScheduleState.ENDED);
    assertThat(ended.nextFireTime()).isNull();
    assertThat(schedules.save(every(YEAR).maxFires(3)).outcome()).isEqualTo(SaveOutcome.CHANGED);
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ACTIVE);
  }

  @Test
  void aPauseUntilAPastTimeIsRefused() {
    String id = saveRare(every(YEAR));

    assertRefused(
        ErrorCode.INVALID_INPUT, () -> schedules.pause(id, Instant.now().minusSeconds(1), "", ""));
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ACTIVE);
  }

  @Test
  void tasksAreMadeAheadAndHeldFromTheirFireTimeOn() {
    String id = saveRare(every(ofSeconds(2)));

    Task held = hold("w");
    long now = System.currentTimeMillis();

    assertThat(held.scheduleId()).isEqualTo(id);
    assertThat(held.taskContext()).isEqualTo("{\"of\":\"the night\"}");
    assertThat(now).as("held not before its fire time").isGreaterThanOrEqualTo(held.fireTime());
    List<ScheduleFire> made = awaitFires(id, FireOutcome.CREATED, 5);
    assertThat(made).extracting(ScheduleFire::fireTime).doesNotHaveDuplicates();
    assertThat(made.get(0).fireTime()).isGreaterThan(now);
    given.reportOn(held).success("done");
    assertThat(fires(id).get(fires(id).size() - 1).status()).isEqualTo(TaskStatus.SUCCESS.code());
  }

  @Test
  void aPauseWithdrawsWhatWasMadeAheadAndAResumeMakesItAgain() {
    String id = saveRare(every(ofSeconds(3)));
    awaitFires(id, FireOutcome.CREATED, 5);

    schedules.pause(id, null, "ann", "maintenance");
    long pausedAt = System.currentTimeMillis();
    List<ScheduleFire> withdrawn = fires(id, FireOutcome.WITHDRAWN);
    assertThat(withdrawn).isNotEmpty();
    assertThat(withdrawn)
        .allSatisfy(
            fire ->
                assertThat(client.getTask(fire.taskId()).status())
                    .isEqualTo(TaskStatus.CANCELLED.code()));
    assertThat(fires(id, FireOutcome.CREATED))
        .allSatisfy(fire -> assertThat(fire.fireTime()).isLessThanOrEqualTo(pausedAt));
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.PAUSED);
    schedules.pause(id);
    schedules.resume(id);

    await().atMost(LONG).until(() -> fires(id, FireOutcome.CREATED).size() > withdrawn.size());
    List<ScheduleFire> again =
        fires(id, FireOutcome.CREATED).stream()
            .filter(fire -> withdrawn.stream().anyMatch(w -> w.fireTime() == fire.fireTime()))
            .toList();
    assertThat(again).isNotEmpty();
    assertThat(liveTasksPerFire()).as("live tasks of one fire").isEqualTo(1);
    assertThat(acts(id)).contains("PAUSE ann maintenance");
  }

  @Test
  void aRepeatedPauseSetsItsEndAnew() {
    String id = saveRare(every(YEAR));
    Instant until = Instant.now().plus(YEAR);

    schedules.pause(id, until, "ann", "for a year");
    assertThat(schedules.get(id).pauseUntil()).isEqualTo(until.toEpochMilli());
    schedules.pause(id, until.plusSeconds(1), "ann", "a little longer");
    assertThat(schedules.get(id).pauseUntil()).isEqualTo(until.plusSeconds(1).toEpochMilli());
    schedules.pause(id);

    assertThat(schedules.get(id).pauseUntil()).isNull();
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.PAUSED);
  }

  private int liveTasksPerFire() {
    return jdbc.sql(
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM t_"
                + report.name()
                + "_task_1 WHERE status <> 16 GROUP BY schedule_id, fire_time) f")
        .query(Integer.class)
        .single();
  }

  private List<String> acts(String id) {
    return jdbc.sql("SELECT CONCAT(act, ' ', operator, ' ', reason) FROM t_act WHERE object = ?")
        .param("schedule:" + id)
        .query(String.class)
        .list();
  }

  @Test
  void aChangeOfThePlanWithdrawsTheFiresOfTheOldOne() {
    String id = saveRare(every(ofSeconds(3)));
    awaitFires(id, FireOutcome.CREATED, 5);

    SavedSchedule changed = schedules.save(every(YEAR));

    long now = System.currentTimeMillis();
    assertThat(fires(id, FireOutcome.CREATED))
        .allSatisfy(fire -> assertThat(fire.fireTime()).isLessThanOrEqualTo(now));
    assertThat(changed.nextFireTime()).isGreaterThan(now);
  }

  @Test
  void aDeletedScheduleLeavesItsHistoryAndNoTask() {
    String id = saveRare(every(ofSeconds(3)));
    awaitFires(id, FireOutcome.CREATED, 5);

    schedules.delete(id);

    assertRefused(ErrorCode.NO_SUCH_SCHEDULE, () -> schedules.get(id));
    assertThat(fires(id, FireOutcome.WITHDRAWN)).isNotEmpty();
    assertThat(schedules.save(every(YEAR)).scheduleId()).isNotEqualTo(id);
  }

  @Test
  void skipRecordsFiresWhileTheLastRunLives() {
    String id = saveRare(every(ofSeconds(1)).overlap(Overlap.SKIP));
    Task held = hold("w");

    awaitFires(id, FireOutcome.SKIPPED, 2);
    assertThat(fires(id, FireOutcome.CREATED)).hasSize(1);
    given.reportOn(held).success("done");
    assertThat(hold("w").fireTime()).isGreaterThan(held.fireTime());
  }

  @Test
  void waitBeginsOneRunWhenTheLastHasEnded() {
    String id = saveRare(every(ofSeconds(1)).overlap(Overlap.WAIT));
    Task held = hold("w");
    await().atMost(LONG).until(() -> schedules.get(id).lateMs() > 2_000);
    assertThat(fires(id)).hasSize(1);

    given.reportOn(held).success("done");
    Task next = hold("w");

    assertThat(next.fireTime()).isGreaterThan(held.fireTime() + 1_000);
    assertThat(schedules.fires(id, 10, null).gapList())
        .extracting(ScheduleGap::reason)
        .contains(GapReason.MERGED);
  }

  @Test
  void replaceCancelsTheLastRun() {
    String id = saveRare(every(ofSeconds(1)).overlap(Overlap.REPLACE));
    Task held = hold("w");

    Task next = hold("v");

    assertThat(next.fireTime()).isGreaterThan(held.fireTime());
    assertThat(client.getTask(held.taskId()).status()).isEqualTo(TaskStatus.CANCELLED.code());
    assertThat(fires(id).get(fires(id).size() - 1).status()).isEqualTo(TaskStatus.CANCELLED.code());
  }

  @Test
  void afterFiresOnceTheLastRunHasEnded() {
    String id = saveRare(NewSchedule.after(name, ofMillis(1_500)).creating(task()));
    Task first = hold("w");
    assertThat(schedules.get(id).nextFireTime()).isNull();

    long endedAt = System.currentTimeMillis();
    given.reportOn(first).success("done");
    Task second = hold("w");

    assertThat(second.fireTime()).isGreaterThanOrEqualTo(endedAt + 1_500);
    assertThat(fires(id)).hasSize(2);
  }

  @Test
  void failuresInARowPauseASchedule() {
    NewTask once = task();
    String id =
        saveRare(NewSchedule.after(name, ofSeconds(1)).creating(once).pauseAfterFailures(2));
    given.reportOn(hold("w")).fail("no");
    given.reportOn(hold("w")).fail("no");

    await().atMost(LONG).until(() -> schedules.get(id).state() == ScheduleState.PAUSED);
    Schedule paused = schedules.get(id);
    assertThat(paused.failStreak()).isEqualTo(2);
    assertThat(paused.lastError()).endsWith(" failed; paused after 2 failed runs in a row");
    assertThat(acts(id)).contains("PAUSE flowsvr 2 failed runs in a row");
    schedules.resume(id);
    assertThat(hold("w").scheduleId()).isEqualTo(id);
  }

  @Test
  void aScheduleThatPausedItselfIsNotLookedAtUntilItIsResumed() {
    String id = saveRare(every(ofSeconds(1)).overlap(Overlap.SKIP).pauseAfterFailures(1));
    given.reportOn(hold("w")).fail("no");

    await().atMost(LONG).until(() -> schedules.get(id).state() == ScheduleState.PAUSED);
    assertThat(wakeTime(id)).isEmpty();
    schedules.resume(id);
    assertThat(hold("w").scheduleId()).isEqualTo(id);
  }

  private Optional<Long> wakeTime(String id) {
    return jdbc.sql("SELECT wake_time FROM t_schedule WHERE id = ?")
        .param(id)
        .query((rs, row) -> Optional.ofNullable(rs.getObject(1, Long.class)))
        .single();
  }

  @Test
  void theEndOfTheLastRunOfAnEndedSchedulePlansNoFire() {
    String id = saveRare(NewSchedule.after(name, ofSeconds(1)).maxFires(1).creating(task()));
    Task only = hold("w");
    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ENDED);

    given.reportOn(only).success("done");

    assertThat(schedules.get(id).nextFireTime()).isNull();
  }

  @Test
  void whatWasMissedIsOneRunByDefault() {
    String id = saveRare(every(Duration.ofHours(1)));
    missSince(id, Duration.ofHours(5));

    assertThat(awaitFires(id, FireOutcome.CREATED, 1)).hasSize(1);
    List<ScheduleGap> gaps = schedules.fires(id, 10, null).gapList();
    assertThat(gaps).hasSize(1);
    assertThat(gaps.get(0).fires()).isBetween(4, 5);
    assertThat(gaps.get(0).reason()).isEqualTo(GapReason.MERGED);
  }

  @Test
  void allThatWasMissedIsMadeIfAskedFor() {
    String id = saveRare(every(Duration.ofHours(1)).catchUp(CatchUp.ALL));
    missSince(id, Duration.ofHours(40));

    awaitFires(id, FireOutcome.CREATED, 40);
    assertThat(fires(id)).extracting(ScheduleFire::fireTime).doesNotHaveDuplicates();
  }

  @Test
  void aTriggerMakesOneRunPerKeyBesideThePlan() {
    String id = saveRare(every(YEAR).overlap(Overlap.SKIP));

    String first = schedules.trigger(id, "k").taskId();

    assertThat(schedules.trigger(id, "k").taskId()).isEqualTo(first);
    assertThat(schedules.trigger(id, null).taskId()).isNotEqualTo(first);
    assertThat(fires(id)).hasSize(2).allSatisfy(fire -> assertThat(fire.manual()).isTrue());
    assertThat(hold("w").taskId()).isEqualTo(first);
    assertThat(schedules.get(id).fireCount()).isEqualTo(2);
  }

  @Test
  void aBackfillMakesWhatHasNoRunAndARepeatMakesNone() {
    String id = saveRare(every(Duration.ofHours(1)));
    Instant to = Instant.now();
    Instant from = to.minus(Duration.ofHours(10));

    Backfilled part = schedules.backfill(id, from, to, 4);
    Backfilled rest = schedules.backfill(id, Instant.ofEpochMilli(part.nextFrom()), to, 100);

    assertThat(part.made()).isEqualTo(4);
    assertThat(rest.made()).isEqualTo(6);
    assertThat(rest.nextFrom()).isNull();
    assertThat(schedules.backfill(id, from, to, 100).made()).isZero();
    assertThat(fires(id)).hasSize(10);
    assertRefused(
        ErrorCode.INVALID_INPUT,
        () -> schedules.backfill(id, to.minus(Duration.ofDays(30)), to, 1));
  }

  @Test
  void aScheduleMakesJobs() {
    Jobs jobs = new Jobs(port);
    String id =
        saveRare(
            NewSchedule.every(name, ofSeconds(1))
                .overlap(Overlap.WAIT)
                .creating(NewJob.of(report.name(), "ops", "text")));

    ScheduleFire fire = awaitFires(id, FireOutcome.CREATED, 1).get(0);
    assertThat(jobs.get(fire.jobId()).scheduleId()).isEqualTo(id);
    jobs.success(jobs.hold(report.name(), "split"), null);
    jobs.success(jobs.hold(report.name(), "merge"), "done");
    assertThat(jobs.get(fire.jobId()).state()).isEqualTo(JobState.SUCCESS);
    List<ScheduleFire> made = awaitFires(id, FireOutcome.CREATED, 2);
    assertThat(made.get(made.size() - 1).status()).isEqualTo(TaskStatus.SUCCESS.code());
  }

  @Test
  void aBrokenRowSaysWhyAndStopsNoOther() {
    String broken = saveRare(NewSchedule.every(name + "-b", ofSeconds(1)).creating(task()));
    String whole = saveRare(every(ofSeconds(1)));
    jdbc.sql("UPDATE t_schedule SET cron = 'x', every_ms = NULL, wake_time = 0 WHERE id = ?")
        .param(broken)
        .update();

    awaitFires(whole, FireOutcome.CREATED, 3);
    assertThat(schedules.get(broken).lastError()).contains("cron");
  }

  @Test
  void aPreviewShowsTheNightWithoutThree() {
    FirePreview preview =
        schedules.preview(
            FirePreviewRequest.ofCron("0 30 2 * * *", ZoneId.of("Europe/Berlin"))
                .from(Instant.parse("2026-03-28T00:00:00Z"))
                .count(3));

    assertThat(preview.localTimes())
        .containsExactly(
            "2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00");
    assertThat(preview.kind()).isEqualTo(FirePreview.Kind.FIXED);
  }

  @Test
  void aPreviewOfADefinitionKeepsItsLimits() {
    Instant noon = Instant.now().plus(YEAR).truncatedTo(ChronoUnit.DAYS);
    Duration hour = Duration.ofHours(1);
    NewSchedule hourly = every(hour).anchor(noon).startTime(noon);

    assertThat(previewed(hourly.endTime(noon.plus(hour.multipliedBy(2)))))
        .containsExactly(noon.toEpochMilli(), noon.plus(hour).toEpochMilli());
    assertThat(previewed(hourly.maxFires(1))).containsExactly(noon.toEpochMilli());
    assertThat(previewed(hourly)).hasSize(10);
  }

  private List<Long> previewed(NewSchedule schedule) {
    return schedules.preview(FirePreviewRequest.of(schedule)).times();
  }

  @Test
  void aPreviewOfAScheduleIsWhatIsLeftOfIt() {
    String id = saveRare(every(YEAR).maxFires(3));
    schedules.trigger(id, null);

    FirePreview left = schedules.preview(FirePreviewRequest.of(schedules.get(id)));
    assertThat(left.times()).hasSize(2).startsWith(nextFireTime(id));
    schedules.trigger(id, null);
    schedules.save(every(YEAR).maxFires(2));
    assertThat(schedules.preview(FirePreviewRequest.of(schedules.get(id))).times()).isEmpty();
  }

  @Test
  void aListHasFiltersAndPages() {
    for (int i = 0; i < 5; i++) {
      saveRare(NewSchedule.every(name + i, YEAR).creating(task()));
    }
    String paused = schedules.find(name + 2).scheduleId();
    schedules.pause(paused);

    ScheduleListRequest two = new ScheduleListRequest(Set.of(), report.name(), 2, null);
    assertThat(schedules.list(two).scheduleList())
        .extracting(Schedule::name)
        .containsExactly(name + 4, name + 3);
    assertThat(schedules.list(two.withCursor(schedules.list(two).nextCursor())).scheduleList())
        .extracting(Schedule::name)
        .containsExactly(name + 2, name + 1);
    assertThat(
            schedules
                .list(new ScheduleListRequest(Set.of(ScheduleState.PAUSED), null, null, null))
                .scheduleList())
        .extracting(Schedule::scheduleId)
        .containsExactly(paused);
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(code));
  }
}
