package io.asyncflow.flowsvr.compose.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.Copy;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.Team;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.compose.job.steps.JobCatchUp;
import io.asyncflow.flowsvr.compose.job.steps.JobSteps;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.queue.worker.WorkerRegistry;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TransitionNotAllowedException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Teams, on a server that takes no step of a job unless the test does. */
@HandDrivenServer
@Tag("contract")
class TeamsIT {

  private static final String STAGE = "clean";

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired JobCatchUp catchUp;
  @Autowired WorkerRegistry registry;
  @Autowired OperatorActs holders;
  @Autowired MeterRegistry meters;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private final List<String> schedules = new ArrayList<>();
  private Jobs jobs;
  private TaskType cache;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    cache =
        given
            .aType()
            .with("max_processing_time", 600)
            .with("lease_seconds", 600)
            .with("max_retry_num", 0)
            .create();
  }

  @AfterEach
  void leaveNoSchedule() {
    schedules.forEach(id -> jobs.client.schedules().delete(id));
  }

  /** A worker of this test alone that serves the stage. */
  private String worker(String name) {
    String worker = name + "-" + cache;
    beat(worker, List.of(cache + "/" + STAGE));
    return worker;
  }

  private List<String> workers(int count) {
    return IntStream.range(0, count).mapToObj(i -> worker("w" + i)).toList();
  }

  private void beat(String worker, List<String> stages) {
    beat(worker, null, stages);
  }

  private void beat(String worker, Integer version, List<String> stages) {
    WorkerInfo info =
        new WorkerInfo(
            "host", "1", version, stages, Map.of(), null, null, null, null, null, null, null);
    jobs.client.heartbeat(new Heartbeat(worker, List.of(), info));
    registry.list(1, Names.ALL, Duration.ZERO); // writes what was heard
  }

  private void silence(String worker) {
    jdbc.sql("UPDATE t_worker SET beat_time = beat_time - 61000 WHERE worker_id = ?")
        .param(worker)
        .update();
  }

  private NewJob team(int workers) {
    return team(Team.of(workers, STAGE, "{}"));
  }

  private NewJob team(Team team) {
    return NewJob.ofTeam(cache.name(), "ops", team);
  }

  private String create(NewJob job) {
    String id = jobs.jobs.createJob(job);
    advance(id);
    return id;
  }

  private void advance(String id) {
    steps.advance(Long.parseLong(id));
  }

  /** What the worker gets; a copy only if it is its own. */
  private List<Task> held(String worker) {
    return held(worker, STAGE);
  }

  private List<Task> held(String worker, String stage) {
    return jobs.client.holdTasks(
        new HoldRequest(cache.name(), 10, worker, 0, null, List.of(stage)));
  }

  private Task holdCopy(String worker) {
    List<Task> held = held(worker);
    assertThat(held).as("copies of " + worker).hasSize(1);
    return held.get(0);
  }

  private Job succeed(String id, List<String> workers) {
    workers.forEach(worker -> jobs.success(holdCopy(worker), worker));
    return jobs.get(id);
  }

  private List<String> workersOf(String id) {
    return jobs.tasks(id).stream().map(JobTask::workerId).toList();
  }

  private static void assertInvalid(Runnable call, String field) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> {
              assertThat(e.errorCode()).isEqualTo(ErrorCode.INVALID_INPUT);
              assertThat(e.errors()).extracting("field").containsExactly(field);
            });
  }

  @Test
  void copyForEachOfSomeWorkersAndTheJobSucceedsWithTheLast() {
    List<String> workers = workers(3);
    String id = create(team(3));

    List<Copy> copies = new ArrayList<>();
    for (String worker : workers) {
      Task copy = holdCopy(worker);
      copies.add(copy.copy());
      assertThat(held(worker)).as("a second copy").isEmpty();
      assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
      jobs.success(copy, worker);
    }
    Job job = jobs.get(id);
    assertThat(copies).containsExactlyInAnyOrder(new Copy(0, 3), new Copy(1, 3), new Copy(2, 3));
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(job.endTime()).isNotNull();
    assertThat(job.splitTaskId()).isNull();
    assertThat(job.mergeTaskId()).isNull();
    assertThat(job.merge()).isFalse();
    assertThat(job.team()).isEqualTo(new Team(3, STAGE, null, null, 3));
    assertThat(workersOf(id)).containsExactlyInAnyOrderElementsOf(workers);
  }

  @Test
  void teamOfFiveOnThreeWorkersWaitsForTwoMore() {
    List<String> workers = workers(3);
    String id = create(team(5));
    succeed(id, workers);
    catchUp.runOnce(true);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(jobs.tasks(id))
        .extracting(JobTask::taskId)
        .filteredOn(task -> task != null)
        .hasSize(3);

    String fourth = worker("fourth");
    catchUp.runOnce(false);
    succeed(id, List.of(fourth));
    String fifth = worker("fifth");
    catchUp.runOnce(false);
    assertThat(succeed(id, List.of(fifth)).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void workersThatServeOtherStagesOrAreSilentOrDrainedGetNoCopy() {
    beat("other-" + cache, List.of(cache + "/brew", "else/" + STAGE));
    silence(worker("silent"));
    String drained = worker("drained");
    registry.drain(drained, true, null, "ann", "");
    String good = worker("good");
    String id = create(team(4));
    assertThat(workersOf(id)).containsExactly(good, null, null, null);
  }

  @Test
  void workersThatAreTooOldForTheTypeGetNoCopy() {
    worker("old");
    String young = "young-" + cache;
    beat(young, 7, List.of(cache + "/" + STAGE));
    given.change(cache, "min_worker_version", 7);
    assertThat(workersOf(create(team(2)))).containsExactly(young, null);
  }

  @Test
  void pausedWorkerGetsNoCopyUntilItIsPausedNoMore() {
    String paused = worker("paused");
    jobs.client.pauses().set(PauseKind.WORKER, paused);
    String id = create(team(1));
    assertThat(workersOf(id)).containsExactly((String) null);
    jobs.client.pauses().clear(PauseKind.WORKER, paused);
    catchUp.runOnce(false);
    assertThat(workersOf(id)).containsExactly(paused);
  }

  @Test
  void pausedTeamPinsAndMovesNothingUntilItIsResumed() {
    List<String> workers = workers(2);
    String id = create(team(3));
    jobs.fail(holdCopy(workers.get(0)), "broken");
    jobs.jobs.pauseJob(id);
    worker("third");
    worker("fourth");
    advance(id);
    silence(workers.get(1));
    catchUp.runOnce(true);
    assertThat(workersOf(id)).containsExactlyInAnyOrder(workers.get(0), workers.get(1), null);
    assertThat(held(workers.get(1))).isEmpty();
    jobs.jobs.resumeJob(id);
    advance(id);
    assertThat(workersOf(id)).doesNotContain(workers.get(0)).doesNotContainNull();
  }

  @Test
  void workerThatServesAStageNoMoreGetsNoCopyOfIt() {
    String worker = worker("w");
    beat(worker, List.of(cache + "/brew"));
    assertThat(workersOf(create(team(1)))).containsExactly((String) null);
  }

  @Test
  void candidatesAloneGetCopies() {
    List<String> workers = workers(4);
    List<String> chosen = workers.subList(1, 3);
    String some = create(team(Team.of(2, STAGE, "").withWorkerIds(chosen)));
    String all = create(team(Team.ofAll(STAGE, "").withWorkerIds(chosen)));
    assertThat(workersOf(some)).containsExactlyInAnyOrderElementsOf(chosen);
    assertThat(workersOf(all)).containsExactlyInAnyOrderElementsOf(chosen);
  }

  @Test
  void teamOfAllHasACopyForEachWorkerOfItsMoment() {
    List<String> workers = workers(3);
    String id = jobs.jobs.createJob(team(Team.ofAll(STAGE, "")));
    worker("late");
    advance(id);
    assertThat(jobs.get(id).total()).isEqualTo(3);
    assertThat(workersOf(id)).containsExactlyInAnyOrderElementsOf(workers);
    assertThat(succeed(id, workers).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void teamOfAllIsRefusedIfNoWorkerServesTheStage() {
    assertInvalid(() -> jobs.jobs.createJob(team(Team.ofAll(STAGE, ""))), "jobData.team.workers");
  }

  @Test
  void windowPacesTheCopies() {
    List<String> workers = workers(3);
    String id = create(team(Team.ofAll(STAGE, "")).withWindow(1));
    for (int i = 0; i < 3; i++) {
      assertThat(jobs.tasks(id)).filteredOn(task -> task.taskId() != null).hasSize(i + 1);
      jobs.success(holdCopy(jobs.tasks(id).get(i).workerId()), "");
      advance(id);
    }
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertThat(workersOf(id)).containsExactlyInAnyOrderElementsOf(workers);
  }

  @Test
  void copyThatFailedMovesToAWorkerThatHadNone() {
    List<String> workers = workers(2);
    String id = create(team(2));
    double moves = meters.counter("asyncflow.team.moves").count();
    String third = worker("third");
    Task failed = holdCopy(workers.get(0));
    jobs.fail(failed, "no space left on the device");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    advance(id);

    assertThat(held(workers.get(0))).isEmpty();
    Task moved = holdCopy(third);
    assertThat(moved.taskId()).isEqualTo(failed.taskId());
    assertThat(moved.copy()).isEqualTo(failed.copy());
    assertThat(moved.crtRetryNum()).isZero();
    jobs.success(moved, "");
    assertThat(succeed(id, List.of(workers.get(1))).state()).isEqualTo(JobState.SUCCESS);
    assertThat(workersOf(id)).containsExactlyInAnyOrder(third, workers.get(1));
    assertThat(meters.counter("asyncflow.team.moves").count()).isEqualTo(moves + 1);
  }

  @Test
  void teamFailsWhenTheMovesAreUsedUp() {
    List<String> workers = workers(4);
    String id = create(team(Team.of(1, STAGE, "").withMaxMoves(2)));
    for (int hold = 0; hold < 3; hold++) {
      assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
      jobs.fail(holdCopy(jobs.tasks(id).get(0).workerId()), "broken");
      advance(id);
    }
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.errMsg()).isEqualTo("1 of 1 children failed, 0 were cancelled");
    assertThat(workers).contains(jobs.tasks(id).get(0).workerId());
  }

  @Test
  void teamFailsWhenNoWorkerIsLeftForAFailedCopy() {
    List<String> workers = workers(2);
    String id = create(team(Team.ofAll(STAGE, "")));
    jobs.fail(holdCopy(workers.get(0)), "broken");
    advance(id);
    assertThat(jobs.get(id).state()).as("the other copy runs").isEqualTo(JobState.RUNNING);
    jobs.success(holdCopy(workers.get(1)), "");
    advance(id);
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(List.of(job.done(), job.failed())).containsExactly(1, 1);
  }

  @Test
  void failFastEndsATeamOnlyWhenNoMoveIsLeft() {
    List<String> workers = workers(3);
    String id =
        create(
            team(Team.of(3, STAGE, "").withMaxMoves(1)).withFailurePolicy(FailurePolicy.FAIL_FAST));
    String spare = worker("spare");
    jobs.fail(holdCopy(workers.get(0)), "broken");
    advance(id);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    jobs.fail(holdCopy(spare), "broken here, too");
    advance(id);
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(0, 1, 2);
  }

  @Test
  void copyOfASilentWorkerMoves() {
    String silent = worker("silent");
    String id = create(team(1));
    String other = worker("other");
    silence(silent);
    catchUp.runOnce(false);
    assertThat(workersOf(id)).as("no sign of life counts yet").containsExactly(silent);
    catchUp.runOnce(true);
    assertThat(workersOf(id)).containsExactly(other);
    assertThat(held(silent)).isEmpty();
    assertThat(succeed(id, List.of(other)).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void copyOfASilentWorkerWaitsForAnotherOneOrForItsOwn() {
    String silent = worker("silent");
    String id = create(team(1));
    silence(silent);
    catchUp.runOnce(true);
    assertThat(workersOf(id)).containsExactly(silent);
    assertThat(succeed(id, List.of(silent)).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void copyInATeamOfAllIsCancelledIfItsWorkerIsGoneForGood() {
    List<String> workers = workers(2);
    String id = create(team(Team.ofAll(STAGE, "")));
    silence(workers.get(1));
    catchUp.runOnce(true);
    jobs.success(holdCopy(workers.get(0)), "");
    catchUp.runOnce(true);
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(1, 0, 1);
  }

  @Test
  void copyThatIsExecutedStaysWithItsSilentWorker() {
    String silent = worker("silent");
    String id = create(team(1));
    Task copy = holdCopy(silent);
    worker("other");
    silence(silent);
    catchUp.runOnce(true);
    assertThat(workersOf(id)).containsExactly(silent);
    jobs.success(copy, "");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void lateReportOfTheSilentWorkerCountsUntilTheNextHold() {
    String silent = worker("silent");
    String id = create(team(1));
    Task copy = holdCopy(silent);
    given.set(TaskId.parse(copy.taskId()).orElseThrow(), "status = 1");
    worker("other");
    silence(silent);
    catchUp.runOnce(true);
    jobs.success(copy, "late");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertThat(jobs.tasks(id)).extracting(JobTask::result).containsExactly("late");
  }

  @Test
  void copyMovesToAWorkerThatServesItsPresentStage() {
    String first = worker("first");
    String id = create(team(1));
    Task copy = holdCopy(first);
    jobs.client.report(List.of(toStage(copy, "rinse")));
    worker("other");
    beat("rinser-" + cache, List.of(cache + "/rinse"));
    silence(first);
    catchUp.runOnce(true);
    assertThat(workersOf(id)).containsExactly("rinser-" + cache);
    assertThat(held("rinser-" + cache, "rinse"))
        .extracting(Task::copy)
        .containsExactly(new Copy(0, 1));
  }

  private static Report toStage(Task copy, String stage) {
    return Report.of(copy.taskId(), copy.workerId(), copy.leaseEpoch(), Outcome.NEXT_STAGE)
        .withNext(stage, null, null);
  }

  @Test
  void copyStaysWithItsWorkerWhateverAReportOrAnOperatorSays() {
    String worker = worker("w");
    worker("other");
    String id = create(team(Team.of(1, STAGE, "").withWorkerIds(List.of(worker))));
    Task copy = holdCopy(worker);
    assertThatThrownBy(
            () ->
                holders.act(
                    TaskId.parse(copy.taskId()).orElseThrow(),
                    TaskAct.SET_WORKERS,
                    new Arguments(false, null, null, Set.of("other-" + cache), null),
                    Expected.ANYTHING,
                    new Reason("ann", "")))
        .isInstanceOf(TransitionNotAllowedException.class);
    Report next = toStage(copy, "rinse").withWorkerIds(List.of("other-" + cache));
    jobs.client.report(List.of(next));
    assertThat(held("other-" + cache, "rinse")).isEmpty();
    assertThat(held(worker, "rinse")).hasSize(1);
    assertThat(workersOf(id)).containsExactly(worker);
  }

  @Test
  void serversThatPinAtOnceGiveNoWorkerTwoCopies() {
    List<String> workers = workers(12);
    String id = jobs.jobs.createJob(team(20));
    AtOnce.from(4, i -> steps.advance(Long.parseLong(id)));
    assertOneCopyEach(id, workers);
  }

  @Test
  void serversThatMoveAtOnceGiveNoWorkerTwoCopies() {
    List<String> workers = workers(5);
    String id = create(team(5));
    workers.forEach(worker -> jobs.fail(holdCopy(worker), "broken"));
    List<String> others = IntStream.range(0, 5).mapToObj(i -> worker("other" + i)).toList();
    AtOnce.from(4, i -> steps.advance(Long.parseLong(id)));
    advance(id);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    assertOneCopyEach(id, others);
    workers.forEach(worker -> assertThat(held(worker)).isEmpty());
  }

  private void assertOneCopyEach(String id, List<String> workers) {
    List<String> holders = workersOf(id).stream().filter(worker -> worker != null).toList();
    assertThat(holders).containsExactlyInAnyOrderElementsOf(workers);
    workers.forEach(this::holdCopy);
  }

  @Test
  void teamThatWaitsIsCancelledAndRunsAgainByARetry() {
    List<String> workers = workers(1);
    String id = create(team(2));
    jobs.jobs.cancelJob(id);
    advance(id);
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    assertThat(job.cancelled()).isEqualTo(2);
    assertThat(held(workers.get(0))).isEmpty();

    jobs.jobs.retryJob(id);
    advance(id);
    String second = worker("second");
    catchUp.runOnce(false);
    assertThat(succeed(id, List.of(workers.get(0), second)).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void teamWithoutAnyWorkerIsCancelled() {
    String id = create(team(2));
    jobs.jobs.cancelJob(id);
    advance(id);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void retryRunsFailedCopiesOnTheirWorkersAgain() {
    List<String> workers = workers(2);
    String id = create(team(Team.ofAll(STAGE, "")));
    jobs.fail(holdCopy(workers.get(0)), "broken");
    jobs.success(holdCopy(workers.get(1)), "");
    advance(id);
    jobs.jobs.retryJob(id);
    advance(id);
    assertThat(succeed(id, List.of(workers.get(0))).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void mergeCombinesTheResultsAfterAllCopies() {
    List<String> workers = workers(2);
    String id = create(team(2).withMerge(true));
    succeed(id, workers);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.MERGING);
    advance(id);
    Task merge = jobs.hold(cache.name(), "merge");
    assertThat(merge.copy()).isNull();
    jobs.success(merge, "whole");
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(job.result()).isEqualTo("whole");
  }

  @Test
  void childrenOfACreateRunWithoutASplit() {
    String worker = worker("w");
    List<JobChild> children =
        List.of(
            new JobChild("child", "a", null),
            new JobChild("child", "b", null).withWorkerIds(List.of(worker)));
    String id = create(NewJob.ofChildren(cache.name(), "ops", children));
    assertThat(jobs.hold(cache.name(), "child").taskContext()).isEqualTo("a");
    assertThat(held(worker, "child")).extracting(Task::taskContext).containsExactly("b");
    assertThat(jobs.tasks(id)).hasSize(2);
  }

  @Test
  void splitJobWithoutAMergeSucceedsWithItsChildren() {
    String id = jobs.jobs.createJob(NewJob.of(cache.name(), "ops", "").withMerge(false));
    Task split = jobs.hold(cache.name(), "split");
    jobs.stage(split, 0, 1);
    jobs.success(split, null);
    advance(id);
    jobs.success(jobs.hold(cache.name(), "child"), "");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);

    String empty = jobs.jobs.createJob(NewJob.of(cache.name(), "ops", "").withMerge(false));
    jobs.success(jobs.hold(cache.name(), "split"), null);
    assertThat(jobs.get(empty).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void teamIsPartOfWhatAKeyStandsFor() {
    NewJob job = team(2).withIdempotencyKey("k");
    String id = jobs.jobs.createJob(job);
    assertThat(jobs.jobs.createJob(job)).isEqualTo(id);
    assertThatThrownBy(() -> jobs.jobs.createJob(team(3).withIdempotencyKey("k")))
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT));
  }

  @Test
  void teamIsOneCreateOfItsUser() {
    given.change(cache, "user_rate_limit", 1);
    jobs.jobs.createJob(team(3));
    assertThatThrownBy(() -> jobs.jobs.createJob(team(3)))
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.LIMIT_EXCEEDED));
  }

  @Test
  void waitingTeamIsLeftToItsWatch() {
    String id = create(team(2));
    jdbc.sql("UPDATE t_job SET modify_time = modify_time - 60000 WHERE id = ?").param(id).update();
    catchUp.runOnce();
    assertThat(
            jdbc.sql("SELECT modify_time < create_time FROM t_job WHERE id = ?")
                .param(id)
                .query(Boolean.class)
                .single())
        .isTrue();
  }

  @Test
  void pinsAreCounted() {
    workers(3);
    double pins = meters.counter("asyncflow.team.pins").count();
    create(team(4));
    assertThat(meters.counter("asyncflow.team.pins").count()).isEqualTo(pins + 3);
  }

  @Test
  void otherTasksAreNoCopies() {
    jobs.client.createTask(NewTask.of(cache.name(), STAGE, "ops", ""));
    assertThat(holdCopy(worker("w")).copy()).isNull();
    assertThat(given.row(holdCopyOfTeam()).status()).isEqualTo(TaskStatus.EXECUTING);
  }

  private Task holdCopyOfTeam() {
    create(team(1));
    return holdCopy("w-" + cache);
  }

  private String schedule(Team team) {
    NewSchedule yearly = NewSchedule.every("s-" + cache, Duration.ofDays(365)).creating(team(team));
    String id = jobs.client.schedules().save(yearly).scheduleId();
    schedules.add(id);
    return id;
  }

  @Test
  void eachFireOfABroadcastReachesTheWorkersOfItsMoment() {
    String schedule = schedule(Team.ofAll(STAGE, "{\"keep\":7}"));
    List<String> workers = new ArrayList<>(workers(2));
    TriggeredRun first = jobs.client.schedules().trigger(schedule, null, null, null);
    advance(first.jobId());
    assertThat(succeed(first.jobId(), workers).state()).isEqualTo(JobState.SUCCESS);

    workers.add(worker("w2"));
    TriggeredRun second = jobs.client.schedules().trigger(schedule, null, null, null);
    advance(second.jobId());
    assertThat(workersOf(second.jobId())).containsExactlyInAnyOrderElementsOf(workers);
    assertThat(jobs.get(second.jobId()).scheduleId()).isEqualTo(schedule);
    assertThat(holdCopy(workers.get(2)).taskContext()).isEqualTo("{\"keep\":7}");
  }

  @Test
  void fireOfABroadcastThatNoWorkerServesIsRefused() {
    String schedule = schedule(Team.ofAll(STAGE, ""));
    assertInvalid(
        () -> jobs.client.schedules().trigger(schedule, null, null, null), "jobData.team.workers");
  }
}
