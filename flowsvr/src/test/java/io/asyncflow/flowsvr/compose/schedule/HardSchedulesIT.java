package io.asyncflow.flowsvr.compose.schedule;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
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
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.fire.LastRuns;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Cases in which a schedule could lose a fire, make one too many, or stand still for ever. */
@UnsweptServer
@Tag("contract")
class HardSchedulesIT {

  private static final Duration LONG = ofSeconds(30);
  private static final Duration YEAR = Duration.ofDays(365);
  private static final int HUNDREDS = 300;
  private static final ScheduleListRequest ALL =
      new ScheduleListRequest(Set.of(), null, 1_000, null);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired TransactionTemplate transaction;
  @Autowired ScheduleStore store;
  @Autowired LastRuns lastRuns;
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
    schedules.list(ALL).scheduleList().forEach(one -> schedules.delete(one.scheduleId()));
  }

  private NewTask task() {
    return NewTask.of(report.name(), "build", "ops", "{}");
  }

  private NewSchedule every(Duration interval) {
    return NewSchedule.every(name, interval).creating(task());
  }

  private String save(NewSchedule schedule) {
    return schedules.save(schedule).scheduleId();
  }

  private List<ScheduleFire> fires(String id, FireOutcome outcome) {
    return schedules.fires(id, 1_000, null).fireList().stream()
        .filter(fire -> fire.outcome() == outcome)
        .toList();
  }

  private List<ScheduleFire> awaitFires(String id, FireOutcome outcome, int count) {
    return await()
        .atMost(LONG)
        .pollInterval(ofMillis(50))
        .until(() -> fires(id, outcome), found -> found.size() >= count);
  }

  private Schedule awaitState(String id, ScheduleState state) {
    return await()
        .atMost(LONG)
        .pollInterval(ofMillis(50))
        .until(() -> schedules.get(id), schedule -> schedule.state() == state);
  }

  private Task hold() {
    return given.aHold(report).by("w").waiting(20, SECONDS).join().get(0);
  }

  /** Moves a schedule with fire times so many intervals back. */
  private void missFires(String id, int fires) {
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = next_fire_time - :fires * every_ms,
                wake_time = 0,
                fence = fence + 1
            WHERE id = :id
            """)
        .param("fires", fires)
        .param("id", id)
        .update();
  }

  @Test
  void eachMissedFireOfJobsMakesItsJob() {
    NewJob job = NewJob.of(report.name(), "ops", "text");
    String id =
        save(NewSchedule.every(name, Duration.ofHours(1)).catchUp(CatchUp.ALL).creating(job));

    missFires(id, 4);

    assertThat(awaitFires(id, FireOutcome.CREATED, 4))
        .extracting(ScheduleFire::jobId)
        .doesNotHaveDuplicates();
    assertThat(schedules.get(id).fireCount()).isEqualTo(4);
  }

  @Test
  void aScheduleThatPausedItselfIsNotLookedAt() {
    String id = save(every(ofSeconds(1)).pauseAfterFailures(1));

    given.reportOn(hold()).fail("no");
    awaitState(id, ScheduleState.PAUSED);

    assertThat(wakeTime(id)).isNull();
  }

  private Long wakeTime(String id) {
    return (Long)
        jdbc.sql("SELECT wake_time FROM t_schedule WHERE id = ?")
            .param(id)
            .query()
            .singleRow()
            .get("wake_time");
  }

  @Test
  void firesThatWereWithdrawnDoNotCount() {
    String id = save(every(ofSeconds(3)).maxFires(5));
    awaitFires(id, FireOutcome.CREATED, 5);
    awaitState(id, ScheduleState.ENDED);

    schedules.pause(id);
    int withdrawn = fires(id, FireOutcome.WITHDRAWN).size();
    assertThat(withdrawn).isPositive();
    assertThat(schedules.get(id).fireCount()).isEqualTo(5 - withdrawn);
    schedules.resume(id);

    assertThat(awaitFires(id, FireOutcome.CREATED, 5)).hasSize(5);
    assertThat(awaitState(id, ScheduleState.ENDED).fireCount()).isEqualTo(5);
  }

  @Test
  void aFireThatWasWithdrawnIsNotTheLastRun() {
    String id = save(every(ofSeconds(3)));
    Task living = hold();
    awaitFires(id, FireOutcome.CREATED, 5);

    schedules.save(every(ofSeconds(3)).overlap(Overlap.SKIP));
    long savedAt = System.currentTimeMillis();

    awaitFires(id, FireOutcome.SKIPPED, 1);
    assertThat(fires(id, FireOutcome.CREATED))
        .allSatisfy(fire -> assertThat(fire.fireTime()).isLessThanOrEqualTo(savedAt));
    given.reportOn(living).success("done");
  }

  @Test
  void aWithdrawnFireThatComesAgainMayBeSkipped() {
    String id = save(every(ofSeconds(3)));
    hold();
    awaitFires(id, FireOutcome.CREATED, 5);

    schedules.save(every(ofSeconds(3)).overlap(Overlap.SKIP));
    ScheduleFire withdrawn = oldest(fires(id, FireOutcome.WITHDRAWN));

    assertThat(oldest(awaitFires(id, FireOutcome.SKIPPED, 1)).fireTime())
        .isEqualTo(withdrawn.fireTime());
  }

  private static ScheduleFire oldest(List<ScheduleFire> newestFirst) {
    return newestFirst.get(newestFirst.size() - 1);
  }

  @Test
  void aClockThatWasSetBackRepeatsNoFireTime() {
    String id = save(NewSchedule.after(name, ofSeconds(1)).creating(task()));
    Task held = hold();
    jdbc.sql("UPDATE t_schedule SET last_fire_time = last_fire_time + 3600000 WHERE id = ?")
        .param(id)
        .update();

    given.reportOn(held).success("done");

    assertThat(schedules.get(id).nextFireTime()).isEqualTo(held.fireTime() + 3_600_001);
  }

  @Test
  void theTaskOfAWithdrawnFireSaysNothingOfTheFireThatWasMadeAgain() {
    String id = save(every(ofSeconds(8)));
    awaitFires(id, FireOutcome.CREATED, 2);
    schedules.pause(id);
    ScheduleFire withdrawn = fires(id, FireOutcome.WITHDRAWN).get(0);
    schedules.resume(id);
    await().atMost(LONG).until(() -> madeAgain(id, withdrawn) != null);

    client.retryTask(withdrawn.taskId(), "ann", "by mistake");
    client.cancelTask(withdrawn.taskId(), "ann", "it was a mistake");

    assertThat(madeAgain(id, withdrawn).status()).isNull();
  }

  private ScheduleFire madeAgain(String id, ScheduleFire withdrawn) {
    return fires(id, FireOutcome.CREATED).stream()
        .filter(fire -> fire.fireTime() == withdrawn.fireTime())
        .findFirst()
        .orElse(null);
  }

  @Test
  void tenWorkersThatSaveAChangeAtOnceChangeItOnce() {
    save(every(YEAR));
    NewSchedule changed = every(YEAR.minusDays(1));

    List<SavedSchedule> saved = AtOnce.from(10, i -> schedules.save(changed));

    assertThat(saved.stream().filter(one -> one.outcome() == SaveOutcome.CHANGED)).hasSize(1);
    assertThat(saved.stream().filter(one -> one.outcome() == SaveOutcome.UNCHANGED)).hasSize(9);
  }

  @Test
  void aTriggerWithTheKeyOfAnotherTaskGivesThatTask() {
    String id = save(every(YEAR));
    String other = client.createTask(task().withIdempotencyKey("k"));

    assertThat(schedules.trigger(id, "k").taskId()).isEqualTo(other);
    assertThat(schedules.get(id).fireCount()).isZero();
  }

  @Test
  void aPauseHidesNoFireTimeBehindTheEnd() {
    String id = save(every(Duration.ofHours(1)));
    schedules.pause(id);
    missFires(id, 5);
    jdbc.sql(
            """
            UPDATE t_schedule
            SET end_time = next_fire_time + 2 * every_ms,
                wake_time = NULL
            WHERE id = ?
            """)
        .param(id)
        .update();

    schedules.resume(id);

    awaitState(id, ScheduleState.ENDED);
    assertThat(schedules.fires(id, 10, null).gapList())
        .extracting(ScheduleGap::fires)
        .containsExactly(2);
  }

  @Test
  void anEndedScheduleHasNoNextFire() {
    String id = save(NewSchedule.after(name, ofSeconds(1)).creating(task()).maxFires(1));

    given.reportOn(hold()).success("done");

    assertThat(awaitState(id, ScheduleState.ENDED).nextFireTime()).isNull();
  }

  @Test
  void aBrokenScheduleThatWaitsForItsRunStopsNoAuditAndCanBeResumed() {
    String id = save(NewSchedule.after(name, ofSeconds(1)).creating(task()));
    hold();
    jdbc.sql("UPDATE t_schedule SET cron = 'x', after_ms = NULL WHERE id = ?").param(id).update();

    assertThat(lastRuns.living(store.find(List.of(Long.parseLong(id))))).isEmpty();
    schedules.pause(id);
    schedules.resume(id);

    assertThat(schedules.get(id).state()).isEqualTo(ScheduleState.ACTIVE);
    assertThat(schedules.get(id).lastError()).contains("cron");
  }

  @Test
  void aLockedScheduleAndALockedRunStopNoOther() {
    String replaced =
        save(
            NewSchedule.every(name + "-r", ofSeconds(1)).overlap(Overlap.REPLACE).creating(task()));
    awaitFires(replaced, FireOutcome.CREATED, 1);
    String paused = save(NewSchedule.every(name + "-p", YEAR).creating(task()));
    schedules.pause(paused, Instant.now().plus(YEAR), "ann", "for a moment");
    String id = save(every(ofSeconds(1)).overlap(Overlap.SKIP));

    transaction.executeWithoutResult(
        status -> {
          jdbc.sql(
                  "UPDATE t_schedule SET modify_time = 0, wake_time = 1, pause_until = 1 WHERE id = ?")
              .param(paused)
              .update();
          jdbc.sql("SELECT id FROM t_" + report.name() + "_task_1 FOR UPDATE").query().listOfRows();
          awaitFires(id, FireOutcome.CREATED, 1);
        });
    awaitState(paused, ScheduleState.ACTIVE);
  }

  @Test
  void aRefusedFireThatALaterRunStandsForIsInTheGapAlone() {
    Instant refused = Instant.now().minus(Duration.ofMinutes(35));
    String id = save(every(Duration.ofHours(1)).anchor(refused));
    TaskType gone = rename(report);
    missFires(id, 4);
    assertThat(awaitFires(id, FireOutcome.REFUSED, 1))
        .extracting(ScheduleFire::fireTime)
        .containsExactly(refused.toEpochMilli());

    given.change(gone, "task_type", report.name());
    goOnEveryTenMinutes(id);

    awaitFires(id, FireOutcome.CREATED, 1);
    assertOneFateEach(id);
    assertThat(fires(id, FireOutcome.REFUSED)).isEmpty();
  }

  @Test
  void aTextThatItsTypeNoLongerTakesIsRefusedWhenItFires() {
    String task = save(every(Duration.ofHours(1)));
    String job =
        save(
            NewSchedule.every(name + "-j", Duration.ofHours(1))
                .creating(NewJob.of(report.name(), "ops", "plain")));
    client.saveTaskType(TaskTypeSettings.named(report.name()).withSealed(1));
    for (String id : List.of(task, job)) {
      missFires(id, 1);
      awaitFires(id, FireOutcome.REFUSED, 1);
      assertThat(schedules.get(id).lastError()).contains("must be sealed");
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(() -> schedules.trigger(id, null))
          .returns(ErrorCode.SEALING_RULE, FlowException::errorCode);
      assertThat(fires(id, FireOutcome.CREATED)).isEmpty();
    }

    client.saveTaskType(TaskTypeSettings.named(report.name()).withSealed(0));
    assertThat(schedules.trigger(task, null).taskId()).isNotNull();
  }

  @Test
  void aRefusedFireThatAPausePassedIsInTheGapAlone() {
    String id =
        save(every(Duration.ofHours(1)).anchor(Instant.now().minus(Duration.ofMinutes(35))));
    rename(report);
    missFires(id, 4);
    awaitFires(id, FireOutcome.REFUSED, 1);
    schedules.pause(id);

    schedules.resume(id);

    assertOneFateEach(id);
    assertThat(fires(id, FireOutcome.REFUSED)).isEmpty();
  }

  /** Takes a type away; returns the name under which it is kept. */
  private TaskType rename(TaskType type) {
    TaskType gone = new TaskType(type.name() + "x");
    given.change(type, "task_type", gone.name());
    return gone;
  }

  /** Time passes, for which the fire times come closer: no test can wait for an hour. */
  private void goOnEveryTenMinutes(String id) {
    jdbc.sql("UPDATE t_schedule SET every_ms = 600000, wake_time = 0 WHERE id = ?")
        .param(id)
        .update();
  }

  private void assertOneFateEach(String id) {
    List<ScheduleGap> gaps = schedules.fires(id, 1_000, null).gapList();
    assertThat(gaps).isNotEmpty();
    assertThat(schedules.fires(id, 1_000, null).fireList())
        .allSatisfy(
            fire ->
                assertThat(gaps)
                    .noneMatch(
                        gap ->
                            gap.fromTime() <= fire.fireTime() && fire.fireTime() <= gap.toTime()));
  }

  @Test
  void theEndOfARunThatOutlastedTheHistoryBeginsThePause() {
    Duration after = Duration.ofHours(1);
    String id = save(NewSchedule.after(name, after).creating(task()));
    Task held = hold();
    jdbc.sql("UPDATE t_%s_task_1 SET fire_time = fire_time - 2592000000".formatted(report.name()))
        .update();

    long endedAt = System.currentTimeMillis();
    given.reportOn(held).success("done");

    assertThat(schedules.get(id).nextFireTime()).isGreaterThanOrEqualTo(endedAt + after.toMillis());
  }

  @Test
  void theEndOfAJobThatOutlastedTheHistoryBeginsThePause() {
    Duration after = Duration.ofHours(1);
    Jobs jobs = new Jobs(port);
    NewJob job = NewJob.of(report.name(), "ops", "text");
    String id = save(NewSchedule.after(name, after).creating(job));
    ScheduleFire fire = awaitFires(id, FireOutcome.CREATED, 1).get(0);
    jdbc.sql("UPDATE t_job SET fire_time = fire_time - 2592000000 WHERE id = ?")
        .param(fire.jobId())
        .update();

    jobs.success(jobs.hold(report.name(), "split"), null);
    jobs.success(jobs.hold(report.name(), "merge"), "done");

    Long next =
        await().atMost(LONG).until(() -> schedules.get(id).nextFireTime(), Objects::nonNull);
    assertThat(next).isEqualTo(endTime(fire.jobId()) + after.toMillis());
  }

  @Test
  void theEndOfAJobIsAtItsFireOnceTheReportIsAnswered() {
    Jobs jobs = new Jobs(port);
    NewJob job = NewJob.of(report.name(), "ops", "text");
    String id = save(NewSchedule.after(name, YEAR).creating(job));
    String jobId = awaitFires(id, FireOutcome.CREATED, 1).get(0).jobId();

    jobs.success(jobs.hold(report.name(), "split"), null);
    jobs.success(jobs.hold(report.name(), "merge"), "done");

    ScheduleFire fire = fires(id, FireOutcome.CREATED).get(0);
    assertThat(fire.status()).isEqualTo(TaskStatus.SUCCESS.code());
    assertThat(fire.endTime()).isEqualTo(endTime(jobId));
  }

  private long endTime(String jobId) {
    return jdbc.sql("SELECT end_time FROM t_job WHERE id = ?")
        .param(jobId)
        .query(Long.class)
        .single();
  }

  @Test
  void aTargetThatCannotBeCreatedNowStopsNoOther() {
    TaskType drained = given.aType().create();
    String waiting =
        save(
            NewSchedule.every(name + "-d", Duration.ofHours(1))
                .catchUp(CatchUp.ALL)
                .creating(NewTask.of(drained.name(), "build", "ops", "{}")));
    missFires(waiting, 2);
    awaitFires(waiting, FireOutcome.CREATED, 2);
    setDrained(drained, 1L);
    String id = save(every(Duration.ofHours(1)).catchUp(CatchUp.ALL));
    String jobs =
        save(
            NewSchedule.every(name + "-j", Duration.ofHours(1))
                .catchUp(CatchUp.ALL)
                .creating(NewJob.of(drained.name(), "ops", "text")));
    transaction.executeWithoutResult(
        status -> {
          missFires(waiting, 4);
          missFires(jobs, 4);
          missFires(id, 2);
        });

    assertThat(awaitFires(id, FireOutcome.CREATED, 2)).hasSize(2);
    assertThat(fires(waiting, FireOutcome.REFUSED)).isEmpty();
    assertThat(schedules.get(waiting).lastError()).contains("drained");
    setDrained(drained, null);
    awaitFires(waiting, FireOutcome.CREATED, 4);
  }

  private void setDrained(TaskType type, Long time) {
    jdbc.sql("UPDATE t_task_table SET drain_time = :time WHERE task_type = :type")
        .param("time", time)
        .param("type", type.name())
        .update();
  }

  @Test
  void aTriggerInTheMillisecondOfTheNextFireTakesNotItsPlace() {
    String id = save(NewSchedule.after(name, Duration.ofHours(1)).creating(task()));
    given.reportOn(hold()).success("done");
    schedules.trigger(id, null);
    ScheduleFire manual = fires(id, FireOutcome.CREATED).get(0);
    assertThat(manual.manual()).isTrue();

    // The trigger read the schedule just before the end of the run planned this very time.
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = :time,
                wake_time = :time,
                fence = fence + 1
            WHERE id = :id
            """)
        .param("time", manual.fireTime())
        .param("id", id)
        .update();

    assertThat(awaitFires(id, FireOutcome.CREATED, 3).get(0).fireTime())
        .isEqualTo(manual.fireTime() + 1);
    assertThat(schedules.get(id).lastFireTime()).isEqualTo(manual.fireTime() + 1);
  }

  @Test
  void aRefusedScheduleThatIsLockedStopsNoOther() {
    TaskType gone = given.aType().create();
    NewTask refused = NewTask.of(gone.name(), "build", "ops", "{}");
    String locked =
        save(NewSchedule.every(name + "-l", YEAR).overlap(Overlap.SKIP).creating(refused));
    String id = save(every(ofSeconds(1)).overlap(Overlap.SKIP));
    given.reportOn(hold()).success("done");
    rename(gone);
    jdbc.sql("UPDATE t_schedule SET next_fire_time = :soon, wake_time = :soon WHERE id = :id")
        .param("soon", store.now() + 1_000)
        .param("id", locked)
        .update();

    transaction.executeWithoutResult(
        status -> {
          jdbc.sql("SELECT id FROM t_schedule WHERE id = ? FOR UPDATE")
              .param(locked)
              .query()
              .listOfRows();
          await().atMost(LONG).until(() -> store.now() > wakeTime(locked) + 2_000);
          int made = fires(id, FireOutcome.SKIPPED).size();
          awaitFires(id, FireOutcome.SKIPPED, made + 2);
        });
    assertThat(awaitFires(locked, FireOutcome.REFUSED, 1)).hasSize(1);
  }

  @Test
  void aRowThatCannotBeReadStopsNoOther() {
    List<String> faults =
        List.of(
            "overlap = 9",
            "catch_up = 0",
            "state = 8",
            "every_ms = NULL",
            "catch_up = 3, catch_up_limit = -1",
            "cron = '0 0 9 L-31 * ?', every_ms = NULL",
            "cron = '0 0 0 30 2 ?', every_ms = NULL",
            "zone = 'Mars/Olympus', cron = '0 0 9 * * ?', every_ms = NULL",
            "last_run = 'no run'",
            "slice = 64",
            "slice = -1");
    List<String> broken = new ArrayList<>();
    for (String fault : faults) {
      String id =
          save(NewSchedule.every(name + "-" + broken.size(), Duration.ofHours(1)).creating(task()));
      broken.add(id);
      jdbc.sql(
              "UPDATE t_schedule SET next_fire_time = next_fire_time - 3600000, wake_time = 0,"
                  + " fence = fence + 1, "
                  + fault
                  + " WHERE id = ?")
          .param(id)
          .update();
    }

    awaitFires(save(every(ofSeconds(1)).overlap(Overlap.SKIP)), FireOutcome.CREATED, 1);

    assertThat(schedules.list(ALL).scheduleList())
        .filteredOn(schedule -> broken.contains(schedule.scheduleId()))
        .hasSize(faults.size() - 1) // one has a state that no list asks for
        .extracting(Schedule::lastError)
        .allSatisfy(error -> assertThat(error).contains("cannot be understood"));
    for (String id : broken) {
      assertThat(schedules.get(id).lastError()).contains("cannot be understood");
      schedules.delete(id);
    }
  }

  /** The last run is of the kind that the schedule made before, not of the one that it makes. */
  @Test
  void replaceCancelsTheLastRunOfTheOtherKind() {
    NewJob job = NewJob.of(report.name(), "ops", "text");
    NewSchedule replacing = NewSchedule.every(name, ofSeconds(1)).overlap(Overlap.REPLACE);
    String id = save(replacing.creating(task()));
    awaitFires(id, FireOutcome.CREATED, 1);

    save(replacing.creating(job));

    Jobs jobs = new Jobs(port);
    List<ScheduleFire> made = awaitRunsOf(id, fire -> fire.jobId() != null);
    assertThat(made)
        .filteredOn(fire -> fire.taskId() != null)
        .isNotEmpty()
        .extracting(fire -> client.getTask(fire.taskId()).status())
        .containsOnly(TaskStatus.CANCELLED.code());

    save(replacing.creating(task()));

    int before = made.size();
    List<ScheduleFire> after = awaitRunsOf(id, fire -> fire.taskId() != null);
    assertThat(after.size()).isGreaterThan(before);
    assertThat(after)
        .filteredOn(fire -> fire.jobId() != null)
        .isNotEmpty()
        .allSatisfy(fire -> jobs.awaitState(fire.jobId(), JobState.CANCELLED));
    assertThat(fires(id, FireOutcome.REFUSED)).isEmpty();
    assertThat(schedules.get(id).lastError()).isNull();
  }

  /** All fires that created something, newest first, when the newest one is such a fire. */
  private List<ScheduleFire> awaitRunsOf(String id, Predicate<ScheduleFire> newest) {
    return await()
        .atMost(LONG)
        .pollInterval(ofMillis(50))
        .until(
            () -> fires(id, FireOutcome.CREATED),
            made -> !made.isEmpty() && newest.test(made.get(0)));
  }

  /** Some of them fire whenever a change looks at all. */
  @Test
  void hundredsThatFireEachSecondAreChangedAtOnce() {
    schedules.saveAll(eachSecond("ops"));
    awaitFires(schedules.find(name + "-0").scheduleId(), FireOutcome.SKIPPED, 2);

    List<SavedSchedule> saved = schedules.saveAll(eachSecond("others"));

    assertThat(saved).hasSize(HUNDREDS);
    assertThat(saved).extracting(SavedSchedule::outcome).containsOnly(SaveOutcome.CHANGED);
  }

  private List<NewSchedule> eachSecond(String user) {
    NewTask task = NewTask.of(report.name(), "build", user, "{}");
    return IntStream.range(0, HUNDREDS)
        .mapToObj(i -> NewSchedule.every(name + "-" + i, ofSeconds(1)).overlap(Overlap.SKIP))
        .map(schedule -> schedule.creating(task))
        .toList();
  }

  @Test
  void aJobThatCannotBeReplacedGoesOn() {
    TaskType child = given.aType().create();
    NewJob job = NewJob.of(report.name(), "ops", "text").withChildType(child.name());
    String id =
        save(
            NewSchedule.every(name, Duration.ofHours(1))
                .overlap(Overlap.REPLACE)
                .catchUp(CatchUp.ALL)
                .creating(job));
    missFires(id, 1);
    String living = awaitFires(id, FireOutcome.CREATED, 1).get(0).jobId();
    rename(child);

    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = last_fire_time + 1000,
                wake_time = 0,
                fence = fence + 1
            WHERE id = ?
            """)
        .param(id)
        .update();

    awaitFires(id, FireOutcome.REFUSED, 1);
    assertThat(new Jobs(port).get(living).state()).isEqualTo(JobState.SPLITTING);
  }

  @Test
  void aSuccessThatChangesNothingDoesNotWriteItsSchedule() {
    String id = save(every(Duration.ofHours(1)).pauseAfterFailures(2));
    missFires(id, 1);
    Task held = hold();
    Object before = position(id);

    given.reportOn(held).success("done");

    awaitEnd(id);
    assertThat(position(id)).isEqualTo(before);
  }

  private Object position(String id) {
    return jdbc.sql("SELECT fence, wake_time FROM t_schedule WHERE id = ?")
        .param(id)
        .query()
        .singleRow();
  }

  private void awaitEnd(String id) {
    await().atMost(LONG).until(() -> fires(id, FireOutcome.CREATED).get(0).status() != null);
  }

  @Test
  void aLockedScheduleThatReplacesItsRunHoldsUpNoOther() {
    String replaced =
        save(
            NewSchedule.every(name + "-r", ofSeconds(1))
                .overlap(Overlap.REPLACE)
                .pauseAfterFailures(9)
                .creating(task()));
    awaitFires(replaced, FireOutcome.CREATED, 1);
    String id = save(every(ofSeconds(1)).overlap(Overlap.SKIP));
    awaitFires(id, FireOutcome.CREATED, 1);

    transaction.executeWithoutResult(
        status -> {
          jdbc.sql("SELECT id FROM t_schedule WHERE id = ? FOR UPDATE")
              .param(replaced)
              .query()
              .listOfRows();
          int made = fires(id, FireOutcome.SKIPPED).size();
          ScheduleFire newest = awaitFires(id, FireOutcome.SKIPPED, made + 4).get(0);
          assertThat(newest.makeTime() - newest.fireTime())
              .as("ms, where six attempts to lock the row take 6 s")
              .isLessThan(6_000);
        });
  }
}
