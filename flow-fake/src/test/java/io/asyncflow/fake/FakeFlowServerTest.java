package io.asyncflow.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.act.ActFilter;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The fake is only worth something where it does what the contract says. */
class FakeFlowServerTest {

  private final AtomicLong nanos = new AtomicLong(TimeUnit.HOURS.toNanos(1));
  private final FakeFlowServer server =
      new FakeFlowServer(nanos::get)
          .withType("Lark", Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(10));

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void traceOfACreateStaysWithTheTask() {
    String first = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    String second = "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00";
    AtomicReference<String> current = new AtomicReference<>(first);
    server.withTraceParentFrom(current::get);
    NewTask keyed = NewTask.of("lark", "one", "me", "").withIdempotencyKey("k");
    String id = server.createTask(keyed);
    current.set(second);
    assertThat(server.create(keyed)).isEqualTo(new CreateResult(id, CreateOutcome.EXISTING));
    assertThat(server.getTask(id).traceParent()).isEqualTo(first);
    server.create(keyed.withTaskContext("other").withOnDuplicate(OnDuplicate.REPLACE));
    assertThat(server.getTask(id).traceParent()).isEqualTo(second);
    String job = server.jobs().createJob(NewJob.of("lark", "me", "x"));
    assertThat(server.getTask(server.jobs().getJob(job).splitTaskId()).traceParent())
        .isEqualTo(second);
    current.set("no trace");
    assertThat(server.getTask(create("one")).traceParent()).isNull();
  }

  private String create(String stage) {
    return server.createTask(NewTask.of("lark", stage, "me", "ctx"));
  }

  private List<Task> hold(String holdId, String... stages) {
    return server.holdTasks(new HoldRequest("lark", 10, "w", 0, holdId, List.of(stages)));
  }

  private ReportResult report(Task task, Outcome outcome, String reportId) {
    return server
        .report(
            List.of(
                Report.of(task.taskId(), "w", task.leaseEpoch(), outcome)
                    .withReportId(reportId)
                    .withNext("two", null, null)
                    .withErrMsg("why")
                    .withRetryAfterMs(0L)))
        .get(0);
  }

  private State beat(Task task) {
    HeartbeatAnswer answer =
        server.heartbeat(
            new Heartbeat("w", List.of(new HeldTask(task.taskId(), task.leaseEpoch(), null))));
    return answer.tasks().get(0).state();
  }

  @Test
  void aHoldTellsTheTaskAsItIsAfterwards() {
    create("one");
    Task task = hold("h").get(0);
    assertThat(task.taskStatus()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(task.leaseEpoch()).isEqualTo(1);
    assertThat(task.leaseMs()).isEqualTo(10_000);
    assertThat(task.workerId()).isEqualTo("w");
    assertThat(task.traceId()).isNotBlank();
    assertThat(hold("other")).isEmpty();
  }

  @Test
  void aTaskForCertainWorkersIsHeldByThemAlone() {
    String id =
        server.createTask(NewTask.of("lark", "one", "me", null).withWorkerIds(List.of("w", "v")));
    assertThat(server.holdTasks(new HoldRequest("lark", 1, "u", 0, "h1", null))).isEmpty();
    assertThat(server.holdTasks(new HoldRequest("lark", 1, null, 0, null, null))).isEmpty();
    Task task = hold("h2").get(0);

    server.setWorkers(id, List.of("u"));

    assertThat(beat(task)).isEqualTo(State.LOST);
    assertThat(report(task, Outcome.SUCCESS, "r").code()).isEqualTo(ErrorCode.LEASE_LOST.code());
    task = server.holdTasks(new HoldRequest("lark", 1, "u", 0, "h3", null)).get(0);
    server.restartTask(id);
    assertThat(server.getTask(id).taskStatus()).isEqualTo(TaskStatus.WAITING);
    assertThat(server.getTask(id).crtRetryNum()).isZero();
    assertThat(hold("h4")).isEmpty();
  }

  @Test
  void theSameKeyAndBodyGiveTheSameTask() {
    NewTask task = NewTask.of("lark", "one", "me", null).withIdempotencyKey("k");
    server.swallowAnswers(1);
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(() -> server.createTask(task));
    String id = server.createTask(task);
    NewTask spelledOtherwise = NewTask.of("LARK", "one", "me", "").withIdempotencyKey("k");
    assertThat(server.createTasks(List.of(spelledOtherwise, task))).containsExactly(id, id);
    assertThat(hold("h")).extracting(Task::taskId).containsExactly(id);
  }

  @Test
  void aKeyWithAnotherBodyIsRefusedWithAllOfItsCall() {
    NewTask task = NewTask.of("lark", "one", "me", "a").withIdempotencyKey("k");
    NewTask other = NewTask.of("lark", "one", "me", "b").withIdempotencyKey("k");
    assertIsRefused(() -> server.createTasks(List.of(task, other)));
    assertThat(hold("h1")).isEmpty();

    server.createTask(task);
    assertIsRefused(() -> server.createTask(other));
    assertThat(hold("h2")).hasSize(1);
  }

  private static void assertIsRefused(ThrowingCallable create) {
    assertIsRefused(create, ErrorCode.IDEMPOTENCY_CONFLICT);
  }

  private static void assertIsRefused(ThrowingCallable call, ErrorCode code) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(call)
        .extracting(FlowException::errorCode)
        .isEqualTo(code);
  }

  @Test
  void typesOfTheServerItselfAreNotForClients() {
    assertIsRefused(() -> server.withType("flow_webhook"), ErrorCode.INVALID_INPUT);
    assertIsRefused(
        () -> server.createTask(NewTask.of("flow_webhook", "one", "me", "")),
        ErrorCode.INVALID_INPUT);
    assertIsRefused(
        () -> server.holdTasks(new HoldRequest("Flow_webhook", 10, "w", 0, "h", List.of())),
        ErrorCode.INVALID_INPUT);
  }

  @Test
  void aCreateSaysWhatHappensIfItsKeyIsInUse() {
    NewTask task = NewTask.of("lark", "one", "me", "a").withIdempotencyKey("k");
    String id = server.createTask(task);
    NewTask other = NewTask.of("lark", "two", "you", "b").withIdempotencyKey("k");

    assertThat(server.create(other.withOnDuplicate(OnDuplicate.KEEP)))
        .isEqualTo(new CreateResult(id, CreateOutcome.KEPT));
    assertThat(server.create(other.withOnDuplicate(OnDuplicate.REPLACE)))
        .isEqualTo(new CreateResult(id, CreateOutcome.REPLACED));
    Task held = hold("h").get(0);
    assertThat(held.taskStage() + held.userId() + held.taskContext()).isEqualTo("twoyoub");
    assertThat(server.create(task.withOnDuplicate(OnDuplicate.REPLACE)).outcome())
        .isEqualTo(CreateOutcome.KEPT);
    report(held, Outcome.SUCCESS, "r");
    assertThat(server.create(task.withOnDuplicate(OnDuplicate.RERUN)))
        .isEqualTo(new CreateResult(id, CreateOutcome.RERUN));
    Task again = hold("h2").get(0);
    assertThat(again.leaseEpoch()).isEqualTo(2);
    report(again, Outcome.SUCCESS, "r2");
    CreateResult next = server.create(task.withOnDuplicate(OnDuplicate.KEEP).withKeyUntilDone());
    assertThat(next.outcome()).isEqualTo(CreateOutcome.CREATED);
    assertThat(server.getTask("LARK", "k").taskId()).isEqualTo(next.taskId());
  }

  @Test
  void aReplacedTaskIsForTheWorkersOfItsNewBody() {
    NewTask task = NewTask.of("lark", "one", "me", "a").withIdempotencyKey("k");
    server.createTask(task.withWorkerIds(List.of("u")));
    assertThat(hold("h")).isEmpty();
    server.create(task.withWorkerIds(List.of("w")).withOnDuplicate(OnDuplicate.REPLACE));
    assertThat(server.holdTasks(new HoldRequest("lark", 1, "u", 0, "h1", null))).isEmpty();
    assertThat(hold("h2")).hasSize(1);
  }

  @Test
  void aKeyIsRememberedAsLongAsItsCreateSays() {
    NewTask task = NewTask.of("lark", "one", "me", "a").withIdempotencyKey("k").withKeyMs(1_000);
    String id = server.createTask(task);
    pass(Duration.ofSeconds(1));
    assertThat(server.createTask(task)).isEqualTo(id);
    pass(Duration.ofMillis(1));
    assertThat(server.createTask(task)).isNotEqualTo(id);
  }

  @Test
  void aReportCreatesItsTasksOnceAndOnlyIfItIsAccepted() {
    create("one");
    Task task = hold("h").get(0);
    NewTask next = NewTask.of("lark", "two", "me", "");
    Report done =
        Report.of(task.taskId(), "w", 1, Outcome.SUCCESS)
            .withReportId("r")
            .withCreates(List.of(next));
    Report unknown = done.withCreates(List.of(next, NewTask.of("none", "one", "me", "")));
    assertThat(server.report(List.of(unknown)).get(0).code())
        .isEqualTo(ErrorCode.NO_SUCH_TASK_TYPE.code());
    assertThat(hold("none")).isEmpty();

    List<String> created = server.report(List.of(done)).get(0).created();

    ReportResult again = server.report(List.of(done)).get(0);
    assertThat(again.outcome()).isEqualTo(ReportResult.Verdict.ALREADY_DONE);
    assertThat(again.created()).isEqualTo(created).hasSize(1);
    assertThat(hold("all")).extracting(Task::taskId).isEqualTo(created);
  }

  @Test
  void aReportWhoseCreatesAreRefusedSaysWhichIsNot() {
    create("one");
    Task task = hold("h").get(0);
    NewTask keyed = NewTask.of("lark", "two", "me", "a").withIdempotencyKey("k");
    server.createTask(keyed);
    Report done =
        Report.of(task.taskId(), "w", 1, Outcome.SUCCESS)
            .withCreates(List.of(NewTask.of("lark", "two", "me", ""), keyed.withTaskContext("b")));

    ReportResult refused = server.report(List.of(done)).get(0);

    assertThat(refused.code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT.code());
    assertThat(refused.msg())
        .isEqualTo("creates[1].idempotencyKey: the idempotency key k was used with another body");
  }

  @Test
  void aKeyIsOfOneType() {
    server.withType("wren");
    String lark = server.createTask(NewTask.of("lark", "one", "me", "").withIdempotencyKey("k"));
    String wren = server.createTask(NewTask.of("wren", "one", "me", "").withIdempotencyKey("k"));
    assertThat(wren).isNotEqualTo(lark);
  }

  @Test
  void whatRunsAtAMomentIsDueThenAndNotBefore() {
    long moment = TimeUnit.NANOSECONDS.toMillis(nanos.get()) + 5_000;
    server.createTask(NewTask.of("lark", "one", "me", "").withPriority(60).withRunAt(moment));
    pass(Duration.ofMillis(4_999));
    assertThat(hold("h1")).isEmpty();
    pass(Duration.ofMillis(1));
    assertThat(hold("h2")).extracting(Task::orderTime).containsExactly(moment);
  }

  @Test
  void withoutAClockOfTheTestTimeIsTheTimeOfDay() {
    FakeFlowServer real = new FakeFlowServer().withType("lark");
    long day = Duration.ofDays(1).toMillis();
    NewTask task = NewTask.of("lark", "one", "me", "");
    String past = real.createTask(task.withRunAt(System.currentTimeMillis() - day));
    real.createTask(task.withRunAt(System.currentTimeMillis() + day));
    assertThat(real.holdTasks(new HoldRequest("lark", 10, "w", 0, "h", null)))
        .extracting(Task::taskId)
        .containsExactly(past);
  }

  @Test
  void theSameHoldIdTellsTheSameTasks() {
    create("one");
    Task task = hold("h").get(0);
    create("one");
    pass(Duration.ofSeconds(4));
    Task again = hold("h").get(0);
    assertThat(again.taskId()).isEqualTo(task.taskId());
    assertThat(again.leaseEpoch()).isEqualTo(1);
    assertThat(again.leaseMs()).isEqualTo(6_000);
  }

  @Test
  void noMoreTasksOfATypeExecuteThanItsMaxExecuting() throws Exception {
    saveMaxExecuting(2);
    for (int i = 0; i < 4; i++) {
      create("one");
    }
    List<Task> first = hold("h1");
    assertThat(first).hasSize(2);
    assertThat(hold("h2")).isEmpty();
    assertThat(hold("h1")).hasSize(2); // the answer to a repeat
    assertThat(server.holdNext("lark")).isEmpty();

    CompletableFuture<List<Task>> parked =
        CompletableFuture.supplyAsync(
            () -> server.holdTasks(new HoldRequest("lark", 10, "w", 30_000, "h3", null)),
            run -> new Thread(run).start());
    assertThat(server.awaitHolds(5, Duration.ofSeconds(10))).isTrue();
    report(first.get(0), Outcome.SUCCESS, "r1");
    assertThat(parked.get(10, TimeUnit.SECONDS)).hasSize(1);

    server.pauseTask(first.get(1).taskId(), true, null, null); // a paused task does not execute
    assertThat(hold("h4")).hasSize(1);
    pass(Duration.ofSeconds(11)); // nor does one whose lease has run out
    assertThat(hold("h5")).hasSize(2);
  }

  @Test
  void maxExecutingIsOfOneTypeAndZeroIsNone() {
    server.withType("gull");
    saveMaxExecuting(1);
    create("one");
    create("one");
    server.createTask(NewTask.of("gull", "one", "me", ""));
    assertThat(hold("h1")).hasSize(1);
    assertThat(server.holdNext("gull")).isPresent();
    saveMaxExecuting(0);
    assertThat(hold("h2")).hasSize(1);
  }

  private void saveMaxExecuting(int number) {
    server.saveTaskType(TaskTypeSettings.named("lark").withMaxExecuting(number));
  }

  @Test
  void onlyTheStagesAskedForAreGiven() {
    create("one");
    create("two");
    assertThat(hold("h", "two")).extracting(Task::taskStage).containsExactly("two");
  }

  @Test
  void aLeaseThatNobodyRenewedGoesBackAndBurnsNoRetry() {
    create("one");
    Task task = hold("h").get(0);
    pass(Duration.ofSeconds(11));
    assertThat(beat(task)).isEqualTo(State.LOST);
    Task again = hold("other").get(0);
    assertThat(again.leaseEpoch()).isEqualTo(2);
    assertThat(again.crtRetryNum()).isZero();
    assertThat(report(task, Outcome.SUCCESS, "r").code()).isEqualTo(8050);
  }

  @Test
  void anAttemptEndsAtItsHardEndHoweverOftenItWasRenewed() {
    create("one");
    Task task = hold("h").get(0);
    for (int i = 0; i < 4; i++) {
      pass(Duration.ofSeconds(7));
      assertThat(beat(task)).isEqualTo(State.EXTENDED);
    }
    pass(Duration.ofSeconds(2));
    assertThat(beat(task)).isEqualTo(State.LOST);
    assertThat(server.getTask(task.taskId()).crtRetryNum()).isEqualTo(1);
  }

  @Test
  void aReportCountsOnceAndItsRepeatIsKnown() {
    create("one");
    Task task = hold("h").get(0);
    assertThat(report(task, Outcome.NEXT_STAGE, "r").outcome())
        .isEqualTo(ReportResult.Verdict.ACCEPTED);
    assertThat(report(task, Outcome.NEXT_STAGE, "r").outcome())
        .isEqualTo(ReportResult.Verdict.ALREADY_DONE);
    assertThat(report(task, Outcome.SUCCESS, "s").code()).isEqualTo(8050);
    assertThat(server.getTask(task.taskId()).taskStage()).isEqualTo("two");
  }

  @Test
  void aReportAfterTheLeaseCountsWhileNobodyHasHeldTheTaskSince() {
    create("one");
    Task task = hold("h").get(0);
    pass(Duration.ofSeconds(20));
    assertThat(report(task, Outcome.SUCCESS, "r").outcome())
        .isEqualTo(ReportResult.Verdict.ACCEPTED);
    assertThat(report(task, Outcome.FAIL, "s").code()).isEqualTo(8051);
  }

  @Test
  void aCancelledTaskTellsItsHolder() {
    create("one");
    Task task = hold("h").get(0);
    server.cancelTask(task.taskId());
    assertThat(beat(task)).isEqualTo(State.CANCEL);
  }

  @Test
  void onlyATaskThatHasNotEndedIsCancelled() {
    create("one");
    Task task = hold("h").get(0);
    server.cancelTask(task.taskId());
    server.cancelTask(task.taskId());
    assertThat(report(task, Outcome.SUCCESS, "r").code()).isEqualTo(8051);

    create("one");
    Task done = hold("i").get(0);
    report(done, Outcome.SUCCESS, "r");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> server.cancelTask(done.taskId()))
        .matches(e -> e.errorCode() == ErrorCode.TRANSITION_NOT_ALLOWED);
  }

  @Test
  void aRetryRunsWhatHasFailedOnceMore() {
    create("one");
    Task task = hold("h").get(0);
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> server.retryTask(task.taskId()))
        .matches(e -> e.errorCode() == ErrorCode.TRANSITION_NOT_ALLOWED);
    report(task, Outcome.FAIL, "r");

    assertThat(server.retryTask(task.taskId())).isEqualTo(task.taskId());

    assertThat(report(task, Outcome.SUCCESS, "s").code()).isEqualTo(8050);
    assertThat(hold("i").get(0).leaseEpoch()).isEqualTo(2);
  }

  @Test
  void taskTellsWhenItWasChangedLast() {
    String id = create("one");
    Task task = hold("h").get(0);
    assertChanged(id, () -> report(task, Outcome.RETRY, "r"));
    assertChanged(id, () -> server.pauseTask(id, false, null, null));
    assertChanged(id, () -> server.setWorkers(id, List.of("w")));
    assertChanged(id, () -> server.resumeTask(id, null, null));
    assertChanged(id, () -> server.cancelTask(id));
    assertChanged(id, () -> server.retryTask(id));
    hold("h2");
    pass(Duration.ofSeconds(11)); // until the lease has run out
    server.tick();
    long ended = server.getTask(id).modifyTime();
    assertThat(ended).isEqualTo(TimeUnit.NANOSECONDS.toMillis(nanos.get()));
    pass(Duration.ofSeconds(1));
    server.setWorkers(id, List.of("w")); // as before
    assertThat(server.getTask(id).modifyTime()).isEqualTo(ended);
  }

  private void assertChanged(String id, Runnable call) {
    pass(Duration.ofSeconds(1));
    call.run();
    assertThat(server.getTask(id).modifyTime())
        .isEqualTo(TimeUnit.NANOSECONDS.toMillis(nanos.get()));
  }

  @Test
  void refusedActIsToldInTheWordsOfTheServer() {
    String id = create("one");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> server.restartTask(id))
        .withMessage(id + ": only an executing task can be restarted, this one is WAITING");
    hold("h");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> server.pauseTask(id, false, null, null))
        .withMessage(id + ": a worker holds it; stop=1 ends the hold and pauses it");
  }

  @Test
  void listsShowTheNewestFirstAndGoOnFromTheirCursors() {
    List<String> ids = List.of(create("one"), create("two"), create("three"));
    server.cancelTask(ids.get(0));

    TaskPage first = server.getTaskList("LARK", TaskPageRequest.of().withLimit(2));
    TaskPage second =
        server.getTaskList("LARK", TaskPageRequest.of().withCursor(first.nextCursor()));
    TaskPage cancelled = server.getUserTaskList("me", TaskPageRequest.of(TaskStatus.CANCELLED));

    assertThat(first.taskList()).extracting(Task::taskId).containsExactly(ids.get(2), ids.get(1));
    assertThat(second.taskList()).extracting(Task::taskId).containsExactly(ids.get(0));
    assertThat(second.nextCursor()).isNull();
    assertThat(cancelled.taskList()).extracting(Task::taskId).containsExactly(ids.get(0));
    assertThat(server.getUserTaskList("you", TaskPageRequest.of()).taskList()).isEmpty();
  }

  @Test
  void aLimitThatIsRemovedIsNull() {
    server.saveTaskType(TaskTypeSettings.named("lark").withMaxRetryInterval(30));
    assertThat(maxRetryInterval()).isEqualTo(30);
    server.saveTaskType(TaskTypeSettings.named("lark"), Set.of());
    assertThat(maxRetryInterval()).isEqualTo(30);
    server.saveTaskType(
        TaskTypeSettings.named("lark"), Set.of(TaskTypeSettings.Removable.MAX_RETRY_INTERVAL));
    assertThat(maxRetryInterval()).isNull();
  }

  private Integer maxRetryInterval() {
    return server.taskTypes().stream()
        .filter(type -> type.taskType().equals("lark"))
        .findFirst()
        .orElseThrow()
        .maxRetryInterval();
  }

  @Test
  void aWorkerThatIsTooOldGetsNothing() {
    server.saveTaskType(TaskTypeSettings.named("lark").withMinWorkerVersion(3));
    create("one");
    HoldAnswer old = server.hold(versioned(2));
    assertThat(old.tasks()).isEmpty();
    assertThat(old.minWorkerVersion()).isEqualTo(3);
    HoldAnswer current = server.hold(versioned(3));
    assertThat(current.tasks()).hasSize(1);
    assertThat(current.minWorkerVersion()).isNull();
  }

  private static HoldRequest versioned(int version) {
    return new HoldRequest("lark", 1, "w", 0, null, null, null, null, null, version);
  }

  @Test
  void aJobWithAWindowReleasesItsChildrenAsTheyEnd() {
    JobClient jobs = server.jobs();
    String id = jobs.createJob(NewJob.of("lark", "you", "").withWindow(2));
    Task split = hold("s").get(0);
    List<JobChild> children = Collections.nCopies(3, new JobChild("child", "", null));
    jobs.addJobChildren(new JobChildren(split.taskId(), "w", split.leaseEpoch(), 0, children));
    report(split, Outcome.SUCCESS, "s");

    List<Task> first = hold("a");
    assertThat(first).hasSize(2);
    assertThat(jobs.getJob(id).total()).isEqualTo(3);
    assertThat(jobs.getJob(id).window()).isEqualTo(2);
    first.forEach(task -> report(task, Outcome.SUCCESS, task.taskId()));
    List<Task> last = hold("b");
    assertThat(last).hasSize(1);
    report(last.get(0), Outcome.SUCCESS, "b");
    assertThat(jobs.getJob(id).state()).isEqualTo(JobState.MERGING);
  }

  @Test
  void aJobThatFailsFastCancelsTheRestOfItsChildren() {
    JobClient jobs = server.jobs();
    List<JobChild> children = Collections.nCopies(3, new JobChild("child", "", null));
    NewJob job = NewJob.ofChildren("lark", "you", children);
    String id = jobs.createJob(job.withFailurePolicy(FailurePolicy.FAIL_FAST).withWindow(2));
    server.cancelTask(hold("a").get(0).taskId());
    Job ended = jobs.getJob(id);
    assertThat(ended.state()).isEqualTo(JobState.FAILED);
    assertThat(ended.cancelled()).isEqualTo(3);
    assertThat(ended.endTime()).isEqualTo(TimeUnit.NANOSECONDS.toMillis(nanos.get()));
  }

  @Test
  void aListOfJobsShowsTheNewestFirst() {
    JobClient jobs = server.jobs();
    jobs.createJob(NewJob.of("lark", "you", ""));
    List<String> ids =
        List.of(
            jobs.createJob(NewJob.of("lark", "me", "")),
            jobs.createJob(NewJob.of("lark", "me", "")));

    JobListRequest oneOfMine = new JobListRequest("me", "LARK", Set.of(), 1, null);
    JobPage first = jobs.getJobList(oneOfMine);
    JobPage second = jobs.getJobList(oneOfMine.withCursor(first.nextCursor()));

    assertThat(first.jobList()).extracting(Job::jobId).containsExactly(ids.get(1));
    assertThat(second.jobList()).extracting(Job::jobId).containsExactly(ids.get(0));
    assertThat(jobs.getJobList(JobListRequest.ofUser("me")).jobList()).hasSize(2);
    assertThat(jobs.getJobList(oneOfMine.withCursor(second.nextCursor())))
        .isEqualTo(new JobPage(List.of(), null));
  }

  @Test
  void aParkedHoldIsWokenByACreate() throws Exception {
    FakeFlowServer real = new FakeFlowServer().withType("lark");
    CompletableFuture<List<Task>> parked =
        CompletableFuture.supplyAsync(
            () -> real.holdTasks(new HoldRequest("lark", 1, "w", 30_000, "h", List.of())),
            run -> new Thread(run).start());
    assertThat(real.awaitHolds(1, Duration.ofSeconds(5))).isTrue();
    real.createTask(NewTask.of("lark", "one", "me", ""));
    assertThat(parked.get(5, TimeUnit.SECONDS)).hasSize(1);
  }

  @Test
  void aRepeatTakesThePlaceOfTheParkedHold() throws Exception {
    FakeFlowServer real = new FakeFlowServer().withType("lark");
    CompletableFuture<List<Task>> parked =
        CompletableFuture.supplyAsync(
            () -> real.holdTasks(new HoldRequest("lark", 1, "w", 30_000, "h", List.of())),
            run -> new Thread(run).start());
    assertThat(real.awaitHolds(1, Duration.ofSeconds(5))).isTrue();
    assertThat(real.holdTasks(new HoldRequest("lark", 1, "w", 0, "h", List.of()))).isEmpty();
    assertThat(parked.get(5, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void faultsAreOnDemand() {
    server.swallowAnswers(1);
    assertThatExceptionOfType(FlowUnreachableException.class).isThrownBy(() -> create("one"));
    assertThat(hold("h")).as("it was created all the same").hasSize(1);
    server.setDown(true);
    assertThatExceptionOfType(FlowUnreachableException.class).isThrownBy(() -> hold("h"));
    server.setDown(false);
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> server.createTask(NewTask.of("none", "one", "me", "")))
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.NO_SUCH_TASK_TYPE);
  }

  @Test
  void aHoldGetsWhatItPrefersFirstAndTheOthersWhenTheyHaveBeenDueForLong() {
    create("one");
    create("two");
    HoldRequest choosy =
        new HoldRequest(
            "lark", 10, "w", 0, "h1", List.of("one", "two"), List.of("two"), 1_000, null, null);
    assertThat(server.holdTasks(choosy)).extracting(Task::taskStage).containsExactly("two");
    create("two");
    pass(Duration.ofSeconds(1));
    HoldRequest again =
        new HoldRequest(
            "lark", 10, "w", 0, "h2", List.of("one", "two"), List.of("two"), 1_000, null, null);
    assertThat(server.holdTasks(again)).extracting(Task::taskStage).containsExactly("two", "one");
  }

  @Test
  void aDrainEndsAParkedHoldAndIsToldByAllThatFollow() throws Exception {
    FakeFlowServer real = new FakeFlowServer().withType("lark");
    HoldRequest request = new HoldRequest("lark", 1, "w", 30_000, "h", null);
    CompletableFuture<HoldAnswer> parked =
        CompletableFuture.supplyAsync(() -> real.hold(request), run -> new Thread(run).start());
    assertThat(real.awaitHolds(1, Duration.ofSeconds(10))).isTrue();
    real.setDrain(true);
    assertThat(parked.get(10, TimeUnit.SECONDS).drain()).isTrue();

    long begin = System.nanoTime();
    HoldAnswer next = real.hold(new HoldRequest("lark", 1, "w", 200, "h2", null));
    assertThat(next.drain()).isTrue();
    assertThat(System.nanoTime() - begin)
        .as("parks as ever")
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
    real.setDrain(false);
    assertThat(real.hold(new HoldRequest("lark", 1, "w", 0, "h3", null)).drain()).isFalse();
  }

  @Test
  void aDrainIsNotForAProcessThatIsStartedAfterIt() {
    server.hold(startOf("pod-0", "start-1"));
    server.setDrain(true);
    assertThat(server.hold(startOf("pod-0", "start-1")).drain()).isTrue();
    assertThat(server.hold(startOf("pod-0", "start-2")).drain()).isFalse();
    assertThat(beatOf("pod-0", "start-1").drain()).isTrue();
    assertThat(beatOf("pod-0", "start-2").drain()).isFalse();
    assertThat(beatOf("pod-0", null).drain()).as("it does not say").isTrue();
    assertThat(beatOf("pod-1", "start-3").drain()).as("nobody had heard of it").isTrue();
  }

  private static HoldRequest startOf(String worker, String startId) {
    return new HoldRequest("lark", 1, worker, 0, null, null, null, null, startId, null);
  }

  private HeartbeatAnswer beatOf(String worker, String startId) {
    return server.heartbeat(new Heartbeat(worker, List.of(), null, startId));
  }

  @Test
  void whatLooksLikeASecretIsKeptInNoMessage() {
    String secret = "AKIAIOSFODNN7EXAMPLE";
    NewTask task =
        RecordCopy.with(NewTask.of("lark", "one", "me", ""), "scheduleLog", "log " + secret);
    String id = server.createTask(task);
    assertThat(server.getTask(id).scheduleLog()).isEqualTo("log ‹redacted›");
    server.hold(startOf("w", "s"));
    server.report(List.of(Report.of(id, "w", 1, Outcome.FAIL).withErrMsg("refused " + secret)));
    assertThat(server.getTask(id).scheduleLog())
        .contains("refused ‹redacted›")
        .doesNotContain(secret);
  }

  @Test
  void aTestDoesWhatAWorkerDoes() {
    String sent = create("one");
    Task held = server.holdNext("lark").orElseThrow();
    assertThat(held.taskId()).isEqualTo(sent);
    assertThat(held.workerId()).isEqualTo(FakeFlowServer.TEST_WORKER);
    assertThat(server.holdNext("lark")).isEmpty();
    server.succeed(held, "done");
    assertThat(server.getTask(sent).result()).isEqualTo("done");

    String lost = create("one");
    server.fail(server.holdNext("lark").orElseThrow(), "no such address");
    assertThat(server.getTask(lost).taskStatus()).isEqualTo(TaskStatus.FAILED);
  }

  @Test
  void aTestThatHoldsNothingAnyMoreReportsNothing() {
    create("one");
    Task held = server.holdNext("lark").orElseThrow();
    server.steal(held.taskId());
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> server.succeed(held, null))
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.LEASE_LOST);
  }

  @Test
  void callsThatItDoesNotHaveSayWhatToDo() {
    List<ThrowingCallable> calls =
        List.of(
            () -> server.find().why("1_lark_task_1"),
            () -> server.steer().runNow("1_lark_task_1", null, null),
            () -> server.bulk().get("1"),
            () -> server.workers().get("w"),
            () -> server.tables().list("lark"),
            () -> server.stats().meta(),
            () -> server.acts().list(ActFilter.ALL, null, null),
            () -> server.keys().me(),
            () -> server.hooks().list());
    assertThat(calls)
        .allSatisfy(
            call ->
                assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(call)
                    .withMessageContaining("withAnswer"));
  }

  @Test
  void aTestAnswersCallsThatItDoesNotHave() {
    server.withAnswer("/api/worker/list", call -> List.of());
    server.withAnswer("/api/hook/test", call -> "task of " + call.fields().get("name"));
    assertThat(server.workers().list(7)).isEmpty();
    assertThat(server.hooks().test("crm")).isEqualTo("task of crm");
    assertThat(server.answeredPaths()).contains("/api/hook/test", "/api/task/createTask");
  }
}
