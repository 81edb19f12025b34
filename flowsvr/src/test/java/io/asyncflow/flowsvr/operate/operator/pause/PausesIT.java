package io.asyncflow.flowsvr.operate.operator.pause;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Whatever is paused gets nothing, and what waited is there after the resume. */
@RunningServer
@Tag("contract")
class PausesIT {

  private static final String WORKER = "w";

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired PauseActs acts;
  @Autowired TableDrain drain;
  @Autowired Environment environment;
  @Autowired MeterRegistry registry;

  private HttpFlowClient flow;
  private PauseClient pauses;
  private TaskType lark;

  @BeforeEach
  void aType() {
    flow = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    pauses = flow.pauses();
    lark = given.aType().create();
  }

  @AfterEach
  void nothingStaysPaused() {
    for (Pause pause : pauses.list(null, 1_000, null).pauseList()) {
      pauses.clear(pause.kind(), pause.name());
    }
  }

  private HoldAnswer hold(String... stages) {
    return flow.hold(new HoldRequest(lark.name(), 10, WORKER, 0, null, List.of(stages)));
  }

  private TaskId aTask(String stage) {
    return given.aWaitingTask().ofType(lark).inStage(stage).create();
  }

  @Test
  void pausedTypeGivesNothingUntilItIsResumed() {
    aTask("first");
    pauses.set(PauseKind.TYPE, lark.name().toUpperCase(Locale.ROOT), null, "ann", "why not");

    assertThat(hold().tasks()).isEmpty();
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList())
        .singleElement()
        .satisfies(
            pause -> {
              assertThat(pause.name()).isEqualTo(lark.name());
              assertThat(pause.operator()).isEqualTo("ann");
              assertThat(pause.reason()).isEqualTo("why not");
              assertThat(pause.until()).isNull();
              assertThat(pause.pauseTime()).isPositive();
            });

    pauses.clear(PauseKind.TYPE, lark.name());
    assertThat(hold().tasks()).hasSize(1);
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList()).isEmpty();
    assertThat(actsOn("type:" + lark.name())).containsExactly("PAUSE", "RESUME");
  }

  private List<String> actsOn(String object) {
    return jdbc.sql("SELECT act FROM t_act WHERE object = :object ORDER BY id")
        .param("object", object)
        .query(String.class)
        .list();
  }

  @Test
  void savedFlagAndPauseOfATypeAreOne() {
    Wire wire = new Wire(port);
    String save = "{'task_type':'" + lark.name() + "','paused':";
    wire.post("/api/task_schedule_cfg/save", save + "1}");
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList()).hasSize(1);

    pauses.clear(PauseKind.TYPE, lark.name());
    assertThat(flagOf(lark)).isZero();

    pauses.set(PauseKind.TYPE, lark.name());
    assertThat(flagOf(lark)).isEqualTo(1);
    wire.post("/api/task_schedule_cfg/save", save + "0}");
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList()).isEmpty();
  }

  @Test
  void saveThatPausesATypePausesItWithoutTheTimeOfAnEarlierPause() {
    Instant until = Instant.ofEpochMilli(4_000_000_000_000L);
    pauses.set(PauseKind.TYPE, lark.name(), until, "ann", "");
    given.change(lark, "paused", 0); // a resume by SQL
    String save = "{'task_type':'" + lark.name() + "','paused':1}";
    new Wire(port).post("/api/task_schedule_cfg/save", save);
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList())
        .extracting(Pause::until, Pause::operator)
        .containsExactly(tuple(null, ""));

    pauses.set(PauseKind.TYPE, lark.name(), until, "ann", "");
    new Wire(port).post("/api/task_schedule_cfg/save", save);
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList())
        .as("a save while a pause with an end lasts")
        .extracting(Pause::until, Pause::operator)
        .containsExactly(tuple(null, ""));

    pauses.set(PauseKind.TYPE, lark.name(), null, "ann", "");
    new Wire(port).post("/api/task_schedule_cfg/save", save);
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList())
        .as("a save that changes nothing")
        .extracting(Pause::until, Pause::operator)
        .containsExactly(tuple(null, "ann"));
  }

  private int flagOf(TaskType type) {
    return jdbc.sql("SELECT paused FROM t_schedule_cfg WHERE task_type = :type")
        .param("type", type.name())
        .query(Integer.class)
        .single();
  }

  @Test
  void typeThatIsPausedBySqlIsListedAndARowWithoutTheFlagIsIgnored() {
    pauses.set(PauseKind.TYPE, lark.name(), null, "ann", "");
    given.change(lark, "paused", 0);
    aTask("first");
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList()).isEmpty();
    assertThat(hold().tasks()).hasSize(1);

    TaskType tts = given.aType().with("paused", 1).create();
    assertThat(pauses.list(PauseKind.TYPE, 10, null).pauseList())
        .extracting(Pause::name)
        .containsExactly(tts.name());
  }

  @Test
  void pausedStageGivesNothingWhileOthersGoOn() {
    aTask("first");
    aTask("second");
    pauses.set(PauseKind.STAGE, lark + "/first");

    assertThat(hold("first").tasks()).isEmpty();
    assertThat(hold().tasks()).extracting(Task::taskStage).containsExactly("second");
    assertThat(hold().tasks()).as("nor in the next look").isEmpty();

    pauses.clear(PauseKind.STAGE, lark + "/first");
    assertThat(hold().tasks()).extracting(Task::taskStage).containsExactly("first");
  }

  @Test
  void parkedHoldIsNotCutByAPauseAndGetsItsTaskAfterTheResume() throws Exception {
    CompletableFuture<List<Task>> ofStage = given.aHold(lark).ofStages("first").waiting(1, MINUTES);
    CompletableFuture<List<Task>> ofAny = given.aHold(lark).waiting(1, MINUTES);
    pauses.set(PauseKind.STAGE, lark + "/first");
    aTask("first");
    aTask("second");
    assertThat(ofAny.get(20, SECONDS)).extracting(Task::taskStage).containsExactly("second");
    assertThat(ofStage).isNotDone();

    pauses.clear(PauseKind.STAGE, lark + "/first");
    assertThat(ofStage.get(20, SECONDS)).hasSize(1);
  }

  @Test
  void pausedWorkerGetsNothingAndIsTold() {
    aTask("first");
    pauses.set(PauseKind.WORKER, WORKER);

    HoldAnswer answer = hold();
    assertThat(answer.tasks()).isEmpty();
    assertThat(answer.paused()).isTrue();
    assertThat(given.aHold(lark).by("another").now()).hasSize(1);

    pauses.clear(PauseKind.WORKER, WORKER);
    aTask("first");
    answer = hold();
    assertThat(answer.tasks()).hasSize(1);
    assertThat(answer.paused()).isFalse();
  }

  @Test
  void parkedHoldsOfAPausedWorkerGetTasksAgainAfterTheResume() throws Exception {
    CompletableFuture<List<Task>> before = given.aHold(lark).by(WORKER).waiting(1, MINUTES);
    pauses.set(PauseKind.WORKER, WORKER);
    CompletableFuture<List<Task>> during = given.aHold(lark).by(WORKER).waiting(1, MINUTES);
    aTask("first");
    assertThat(given.aHold(lark).by("another").theTask().taskStage()).isEqualTo("first");
    assertThat(before).isNotDone();
    assertThat(during).isNotDone();

    pauses.clear(PauseKind.WORKER, WORKER);
    aTask("first");
    assertThat(before.get(20, SECONDS)).hasSize(1);
    aTask("first");
    assertThat(during.get(20, SECONDS)).hasSize(1);
  }

  @Test
  void tasksInLanesArePausedWithTheirStageAndTheirWorker() {
    TaskId first = given.aWaitingTask().ofType(lark).inStage("first").forWorkers(WORKER).create();
    pauses.set(PauseKind.STAGE, lark + "/first");
    assertThat(hold().tasks()).isEmpty();
    assertThat(hold("first").tasks()).isEmpty();
    pauses.clear(PauseKind.STAGE, lark + "/first");

    pauses.set(PauseKind.WORKER, WORKER);
    assertThat(hold("first").tasks()).isEmpty();
    pauses.clear(PauseKind.WORKER, WORKER);
    assertThat(hold("first").tasks()).extracting(Task::taskId).containsExactly(first.toString());
  }

  @Test
  void lostAnswerToAWorkerIsRepeatedWhileItIsPaused() {
    aTask("first");
    List<Task> held = given.aHold(lark).by(WORKER).withId("lost").now();
    pauses.set(PauseKind.WORKER, WORKER);
    assertThat(given.aHold(lark).by(WORKER).withId("lost").now())
        .extracting(Task::taskId)
        .containsExactly(held.get(0).taskId());
  }

  @Test
  void pausedWorkerAndOneThatIsTooOldAreLeftOutOfOneClaim() throws Exception {
    given.change(lark, "min_worker_version", 3);
    pauses.set(PauseKind.WORKER, WORKER);
    CompletableFuture<List<Task>> paused =
        given.aHold(lark).by(WORKER).ofVersion(3).waiting(1, MINUTES);
    CompletableFuture<List<Task>> old =
        given.aHold(lark).by("old").ofVersion(2).waiting(1, MINUTES);
    CompletableFuture<List<Task>> current =
        given.aHold(lark).by("new").ofVersion(3).waiting(1, MINUTES);
    aTask("first");
    assertThat(current.get(20, SECONDS)).hasSize(1);
    assertThat(paused).isNotDone();
    assertThat(old).isNotDone();

    pauses.clear(PauseKind.WORKER, WORKER);
    aTask("first");
    assertThat(paused.get(20, SECONDS)).hasSize(1);
    assertThat(old).isNotDone();
    old.cancel(false);
  }

  @Test
  void whatAPausedWorkerRunsGoesOn() {
    aTask("first");
    Task task = hold().tasks().get(0);
    pauses.set(PauseKind.WORKER, WORKER);

    assertThat(beat(task)).isEqualTo(State.EXTENDED);
    assertThat(flow.report(List.of(Jobs.done(task))))
        .extracting(ReportResult::outcome)
        .containsExactly(Verdict.ACCEPTED);
  }

  private State beat(Task task) {
    HeldTask held = new HeldTask(task.taskId(), task.leaseEpoch(), null);
    return flow.heartbeat(new Heartbeat(task.workerId(), List.of(held))).tasks().get(0).state();
  }

  @Test
  void pausedTaskIsNotHeldAndKeepsItsPlace() {
    TaskId early = aTask("first");
    TaskId late = aTask("first");
    TaskRow before = given.row(early);
    flow.pauseTask(early.toString(), false, "ann", "wait");
    flow.pauseTask(early.toString());

    assertThat(flow.getTask(early.toString()).taskStatus()).isEqualTo(TaskStatus.PAUSED);
    assertThat(flow.getTaskList(lark.name(), TaskPageRequest.of(TaskStatus.PAUSED)).taskList())
        .extracting(Task::taskId)
        .containsExactly(early.toString());
    assertThat(hold().tasks()).extracting(Task::taskId).containsExactly(late.toString());

    flow.resumeTask(early.toString());
    flow.resumeTask(early.toString());
    TaskRow after = given.row(early);
    assertThat(after.orderTime()).isEqualTo(before.orderTime());
    assertThat(after.stage()).isEqualTo(before.stage());
    assertThat(hold().tasks()).extracting(Task::taskId).containsExactly(early.toString());
  }

  @Test
  void executingTaskIsPausedOnlyByAStopWhichEndsItsHold() {
    TaskId id = aTask("first");
    Task task = hold().tasks().get(0);
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> flow.pauseTask(task.taskId()));
    TaskRow before = given.row(id);
    flow.pauseTask(task.taskId(), true, null, null);

    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.PAUSED);
    assertThat(row.orderTime()).isEqualTo(before.orderTime());
    assertThat(row.scheduleLog()).contains("REVOKED");
    assertThat(registry.counter("asyncflow.runs.revoked", "type", lark.name()).count()).isOne();
    assertThat(row.reportedEpoch()).isEqualTo(row.leaseEpoch());
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.deliveryCount()).isZero();
    assertThat(beat(task)).isEqualTo(State.LOST);
    assertThat(flow.report(List.of(Jobs.done(task))))
        .extracting(ReportResult::code)
        .containsExactly(ErrorCode.LEASE_LOST.code());

    flow.resumeTask(task.taskId());
    Task again = hold().tasks().get(0);
    assertThat(again.leaseEpoch()).isEqualTo(task.leaseEpoch() + 1);
    assertThat(flow.report(List.of(Jobs.done(task))))
        .extracting(ReportResult::code)
        .containsExactly(ErrorCode.LEASE_LOST.code());
    assertThat(flow.report(List.of(Jobs.done(again))))
        .extracting(ReportResult::outcome)
        .containsExactly(Verdict.ACCEPTED);
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> flow.pauseTask(task.taskId()));
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> flow.resumeTask(task.taskId()));
  }

  @Test
  void otherWorkersLeaveATaskPausedAndItCannotBeRestarted() {
    TaskId id = aTask("first");
    flow.pauseTask(id.toString());
    flow.setWorkers(id.toString(), List.of("another"));
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.PAUSED);
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> flow.restartTask(id.toString()));

    flow.resumeTask(id.toString());
    assertThat(hold().tasks()).isEmpty();
    assertThat(given.aHold(lark).by("another").now()).hasSize(1);
    String acts = new Wire(port).post("/api/task/getActs?taskId=" + id).http().body();
    assertThat(acts).containsSubsequence("RESUME", "SET_WORKERS", "PAUSE");
  }

  @Test
  void lateReportAfterALostLeaseDoesNotResumeATask() {
    TaskId id = aTask("first");
    Task task = hold().tasks().get(0);
    given.set(id, "status = 1"); // as a sweep does
    flow.pauseTask(task.taskId());

    assertThat(flow.report(List.of(Jobs.reportOf(task, Outcome.RETRY, null, "late"))))
        .extracting(ReportResult::code)
        .containsExactly(ErrorCode.LEASE_LOST.code());
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.PAUSED);
  }

  @Test
  void pausedTaskCanBeCancelledAndItsStatusSetButOldClientsCannotResumeIt() {
    TaskId cancelled = aTask("first");
    flow.pauseTask(cancelled.toString());
    Wire wire = new Wire(port);
    for (int status : new int[] {1, 4, 8}) {
      String body = "{'taskId':'" + cancelled + "','status':" + status + "}";
      assertThat(wire.post("/api/task/set_task", body).code()).isEqualTo(8051);
    }
    String body = "{'taskId':'" + cancelled + "','status':32}";
    assertThat(wire.post("/api/task/set_task", body).code()).isEqualTo(8020);
    flow.cancelTask(cancelled.toString());
    assertThat(given.row(cancelled).status()).isEqualTo(TaskStatus.CANCELLED);

    TaskId revived = aTask("first");
    flow.pauseTask(revived.toString());
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> flow.retryTask(revived.toString()));
    String set = "{'taskId':'" + revived + "','status':1,'reason':'test'}";
    assertThat(wire.post("/api/task/setStatus", set).code()).isZero();
    assertThat(given.row(revived).status()).isEqualTo(TaskStatus.WAITING);
  }

  @Test
  void pausedTaskKeepsItsTableFromDraining() {
    TaskId paused = aTask("first");
    flow.pauseTask(paused.toString());
    given.nextTable(lark);
    drain.runOnce();
    assertThat(tables()).contains("\"state\":\"FULL\"").contains("\"paused\":true");

    flow.cancelTask(paused.toString());
    await().until(() -> drain.runOnce() >= 0 && tables().contains("DRAINED"));
    assertThat(tables()).doesNotContain("\"paused\":true");
  }

  private String tables() {
    return new Wire(port)
        .post("/api/task_schedule_cfg/tables?taskType=" + lark.name())
        .http()
        .body();
  }

  @Test
  void pausedJobRunsNothingAndIsCompletedAfterItsResume() {
    Jobs jobs = new Jobs(port);
    String id = jobs.running(NewJob.of(lark.name(), "ann", "text"), 700);
    List<Task> running = jobs.hold(lark.name(), "child", 5);
    jobs.jobs.pauseJob(id);
    jobs.jobs.pauseJob(id);
    assertThat(jobs.get(id).paused()).isTrue();
    assertThat(jobs.holdNow(lark.name(), "child", 10)).isEmpty();

    // What runs ends, and what begins to wait by it is not held either.
    jobs.report(running.subList(0, 1), Jobs::done);
    jobs.report(running.subList(1, 5), task -> Jobs.reportOf(task, Outcome.RELEASE, null, null));
    assertThat(jobs.holdNow(lark.name(), "child", 10)).isEmpty();
    await().atMost(Duration.ofSeconds(30)).until(() -> count(id, 32) == 699);
    assertThat(count(id, 1)).isZero();

    jobs.jobs.resumeJob(id);
    await().atMost(Duration.ofSeconds(30)).until(() -> count(id, 1) == 699);
    assertThat(jobs.get(id).paused()).isNull();
    for (int done = 1; done < 700; ) {
      List<Task> held = jobs.hold(lark.name(), "child", 200);
      jobs.report(held, Jobs::done);
      done += held.size();
    }
    jobs.success(jobs.hold(lark.name(), "merge"), "all");
    assertThat(jobs.get(id).done()).isEqualTo(700);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertRefused(ErrorCode.TRANSITION_NOT_ALLOWED, () -> jobs.jobs.pauseJob(id));
    assertThat(actsOn("job:" + id)).containsExactly("PAUSE", "RESUME");
  }

  private int count(String jobId, int status) {
    return jdbc.sql(
            "SELECT COUNT(*) FROM t_%s_task_1 WHERE job_id = :job AND job_index >= 0 AND status = :status"
                .formatted(lark.name()))
        .param("job", jobId)
        .param("status", status)
        .query(Integer.class)
        .single();
  }

  @Test
  void pausedJobIsNotSplitAndReleasesNoChildren() {
    Jobs jobs = new Jobs(port);
    String id = jobs.create(lark);
    jobs.jobs.pauseJob(id);
    assertThat(jobs.holdNow(lark.name(), "split", 1)).isEmpty();
    jobs.jobs.resumeJob(id);
    Task split = jobs.hold(lark.name(), "split");

    jobs.jobs.pauseJob(id);
    jobs.stage(split, 0, 3);
    jobs.success(split, null);
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(jobs.holdNow(lark.name(), "child", 10)).isEmpty();
    assertThat(jobs.tasks(id)).allMatch(child -> child.taskId() == null);

    jobs.jobs.resumeJob(id);
    assertThat(jobs.hold(lark.name(), "child", 10)).isNotEmpty();
  }

  @Test
  void splitOrMergeThatIsRetriedRunsAlthoughItsJobFailedWhileItWasPaused() {
    Jobs jobs = new Jobs(port);
    String id = jobs.jobs.createJob(NewJob.of(lark.name(), "ann", "text"));
    for (String stage : List.of("split", "merge")) {
      Task task = jobs.hold(lark.name(), stage);
      jobs.jobs.pauseJob(id);
      jobs.fail(task, "broken");
      jobs.awaitState(id, JobState.FAILED);
      flow.retryTask(task.taskId());
      assertThat(jobs.get(id).paused()).isNull();
      Task again = jobs.hold(lark.name(), stage);
      assertThat(again.taskId()).isEqualTo(task.taskId());
      jobs.success(again, null); // without children, so the merge is next
    }
    jobs.awaitState(id, JobState.SUCCESS);
  }

  @Test
  void pausedJobCanBeCancelledAndRetried() {
    Jobs jobs = new Jobs(port);
    String id = jobs.running(NewJob.of(lark.name(), "ann", "text"), 3);
    jobs.jobs.pauseJob(id);
    jobs.jobs.cancelJob(id);
    jobs.awaitState(id, JobState.CANCELLED);
    assertThat(jobs.get(id).cancelled()).isEqualTo(3);

    jobs.jobs.retryJob(id);
    jobs.awaitState(id, JobState.RUNNING);
    assertThat(jobs.get(id).paused()).isNull();
    assertThat(jobs.hold(lark.name(), "child", 10)).isNotEmpty();
  }

  @Test
  void pauseEndsWhenItsTimeHasCome() {
    Instant soon = Instant.now().plus(Duration.ofMinutes(5));
    pauses.set(PauseKind.TYPE, lark.name(), soon, null, null);
    pauses.set(PauseKind.STAGE, lark + "/first", soon, null, null);
    pauses.set(PauseKind.WORKER, WORKER, soon, null, null);
    aTask("first");
    assertThat(hold().tasks()).isEmpty();

    jdbc.sql("UPDATE t_pause SET until_time = 1 WHERE name IN (:type, :stage, :worker)")
        .param("type", lark.name())
        .param("stage", lark + "/first")
        .param("worker", WORKER)
        .update();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              acts.endDue();
              return hold().tasks().size() == 1;
            });
    assertThat(flagOf(lark)).isZero();
    assertThat(pauses.list(null, 10, null).pauseList()).isEmpty();
    assertThat(actsOn("stage:" + lark + "/first")).containsExactly("PAUSE", "RESUME");
  }

  @Test
  void anotherServerObeysWithinASecondAlsoOneThatStartsLater() throws Exception {
    aTask("first");
    pauses.set(PauseKind.STAGE, lark + "/first");
    try (ConfigurableApplicationContext other = secondServer()) {
      int otherPort = other.getEnvironment().getRequiredProperty("local.server.port", int.class);
      HttpFlowClient far = new HttpFlowClient(URI.create("http://127.0.0.1:" + otherPort), null);
      HoldRequest once = new HoldRequest(lark.name(), 10, WORKER, 0, null, List.of());
      assertThat(far.holdTasks(once)).as("set before it started").isEmpty();

      HoldRequest longPoll = new HoldRequest(lark.name(), 1, WORKER, 20_000, null, List.of());
      CompletableFuture<List<Task>> parked =
          CompletableFuture.supplyAsync(() -> far.holdTasks(longPoll), OtherThread::start);
      pauses.clear(PauseKind.STAGE, lark + "/first");
      assertThat(parked.get(15, SECONDS)).as("resumed here, held there").hasSize(1);

      for (PauseKind kind : PauseKind.values()) {
        String name =
            switch (kind) {
              case TYPE -> lark.name();
              case STAGE -> lark + "/first";
              case WORKER -> WORKER;
            };
        assertThat(far.holdTasks(once)).isEmpty();
        pauses.set(kind, name);
        long answered = System.nanoTime();
        boolean[] isObeyed = new boolean[1];
        await()
            .atMost(Duration.ofSeconds(20))
            .pollInterval(Duration.ofMillis(50))
            .until(
                () -> {
                  TaskId id = aTask("first");
                  long asked = System.nanoTime();
                  boolean got = !far.holdTasks(once).isEmpty();
                  assertThat(got && asked - answered > MILLISECONDS.toNanos(1_000))
                      .as("held a second after the answer, " + kind)
                      .isFalse();
                  if (!got) {
                    isObeyed[0] = true;
                    given.set(id, "status = 16");
                  }
                  return isObeyed[0] && asked - answered > MILLISECONDS.toNanos(1_500);
                });
        pauses.clear(kind, name);
        await()
            .atMost(Duration.ofSeconds(20))
            .until(
                () -> {
                  aTask("first");
                  return !far.holdTasks(once).isEmpty();
                });
        await().atMost(Duration.ofSeconds(20)).until(() -> far.holdTasks(once).isEmpty());
      }
    }
  }

  private ConfigurableApplicationContext secondServer() {
    return new SpringApplication(FlowServer.class)
        .run(
            Stream.of(
                    "server.port",
                    "spring.datasource.url",
                    "spring.datasource.username",
                    "spring.datasource.password",
                    "flow.store.dir",
                    "flow.store.min-free")
                .map(
                    name ->
                        "--"
                            + name
                            + "="
                            + (name.equals("server.port")
                                ? "0"
                                : environment.getRequiredProperty(name)))
                .toArray(String[]::new));
  }

  @Test
  void listIsPagedByKindAndName() {
    pauses.set(PauseKind.WORKER, "b");
    pauses.set(PauseKind.WORKER, "a");
    pauses.set(PauseKind.STAGE, lark + "/x");
    assertThat(pauses.list(null, 2, null).pauseList())
        .extracting(Pause::name)
        .containsExactly(lark + "/x", "a");
    String cursor = pauses.list(null, 2, null).nextCursor();
    assertThat(pauses.list(null, 2, cursor).pauseList())
        .extracting(Pause::name)
        .containsExactly("b");
    assertThat(pauses.list(PauseKind.WORKER, 10, null).pauseList()).hasSize(2);
  }

  @Test
  void badFieldsAreNamedTogether() {
    Wire wire = new Wire(port);
    assertThat(wire.post("/api/pause/set", "{'kind':'x','until':1}").badFields())
        .contains("kind", "name", "until");
    assertThat(wire.post("/api/pause/set", "{'kind':'STAGE','name':'lark'}").badFields())
        .containsExactly("name");
    assertThat(wire.post("/api/pause/set", "{'kind':'TYPE','name':'nosuch'}").code())
        .isEqualTo(8042);
    assertThat(wire.post("/api/pause/clear", "{'kind':'TYPE','name':'9'}").badFields())
        .containsExactly("name");
    assertThat(wire.post("/api/pause/list", "{'kind':'x','limit':0,'cursor':'y'}").badFields())
        .contains("kind", "limit", "cursor");
    assertThat(wire.post("/api/task/pause", "{'taskId':'1_lark_task_1','stop':2}").badFields())
        .containsExactly("stop");
    assertThat(wire.post("/api/job/pause", "{'jobId':'x'}").badFields()).containsExactly("jobId");
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(code));
  }
}
