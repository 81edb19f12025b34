package io.asyncflow.fake;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeChange;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.Transport;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.HoldFields;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import io.asyncflow.rules.field.TaskTypeFields;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An in-memory flowsvr for tests: tasks, due times, leases and epochs as in the contract, and
 * faults on demand, and schedules under the same clock.
 *
 * <p>Give it to {@code Worker.builder().client(server)}. Thread-safe. It implements the contract as
 * far as clients can see it, except: several tables, rate limits, another try of a refused fire,
 * audit records, the expiry of the history of schedules, the keys, retries and failure policies of
 * jobs, and the events of jobs and schedules. Every call is refused where the server refuses it,
 * with the same code and the same message.
 *
 * <p>It does not answer the calls of {@link #find()}, {@link #steer()}, {@link #bulk()}, {@link
 * #workers()}, {@link #tables()}, {@link #stats()}, {@link #acts()}, {@link #keys()} and {@link
 * #hooks()}: these throw {@link UnsupportedOperationException}. For code that makes such calls,
 * answer them by {@link #withAnswer}, or test it against a server.
 *
 * <p>Nothing happens between calls: each call first does what the clock asks for, as {@link #tick}
 * does. So schedules fire when the clock of the test has reached their time. As in the server, a
 * task is created up to 30 seconds before its fire time if nothing can change that, and is due at
 * its fire time. If the clock has passed a fire time by more than a minute at the next call, that
 * is an outage, and the schedule's {@link CatchUp} decides; to see every fire, move the clock from
 * one to the next.
 */
public final class FakeFlowServer implements FlowClient {

  /** The worker of {@link #holdNext}. */
  public static final String TEST_WORKER = "test";

  // The parts of the server, guarded by its lock; they use each other.
  final FakeTypes types = new FakeTypes();
  final FakeTasks tasks = new FakeTasks(this);
  final FakeCreates creates = new FakeCreates(this);
  final FakeActs acts = new FakeActs(this);
  final FakeHolds holds = new FakeHolds(this, tasks);
  final FakeReports reports = new FakeReports(this);
  final FakeFaults faults = new FakeFaults();
  final SeenCalls seen = new SeenCalls(this);
  final FakeEvents events = new FakeEvents(this);
  final FakePauses pauses = new FakePauses(this);
  final FakeWorkers workers = new FakeWorkers(pauses);
  final FakeJobs jobs = new FakeJobs(this, workers);
  final FakeSchedules schedules = new FakeSchedules(this, jobs);

  private final FakeCalls calls = new FakeCalls(this);
  private final FakeObjects objects = new FakeObjects(this);
  private final LongSupplier nanos;

  /** A server with the machine's clock. */
  public FakeFlowServer() {
    this(epochNanos());
  }

  /**
   * A server with a clock of its own; {@link #at} takes one in {@link Instant}s.
   *
   * @param nanos the only clock, in nanoseconds since the epoch, not milliseconds; must never run
   *     backwards. Epoch milliseconds of the contract, such as {@code runAt}, and the fire times of
   *     schedules refer to this clock
   */
  public FakeFlowServer(LongSupplier nanos) {
    this.nanos = nanos;
    answerCalls();
  }

  /**
   * A server with the clock of the test.
   *
   * @param clock the only clock; must never run backwards. After a move of it {@link #tick} does
   *     what has come
   */
  public static FakeFlowServer at(InstantSource clock) {
    return new FakeFlowServer(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()));
  }

  /** Nanoseconds since the epoch that start at the wall clock and continue monotonically. */
  private static LongSupplier epochNanos() {
    long origin = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    return () -> origin + System.nanoTime();
  }

  /** Adds a type with the contract's defaults. */
  public FakeFlowServer withType(String taskType) {
    saveTaskType(TaskTypeSettings.named(taskType));
    return this;
  }

  /**
   * Adds or changes a type with times that suit a test, also such as the server refuses.
   *
   * @param interval length of a long poll, in whole seconds
   * @param maxProcessingTime in whole seconds
   * @param lease in whole seconds
   */
  public synchronized FakeFlowServer withType(
      String taskType, Duration interval, Duration maxProcessingTime, Duration lease) {
    withType(taskType);
    types.put(
        TaskTypeSettings.named(taskType)
            .withScheduleLimit(100)
            .withScheduleInterval(Math.toIntExact(interval.toSeconds()))
            .withMaxProcessingTime(Math.toIntExact(maxProcessingTime.toSeconds()))
            .withMaxRetryNum(3)
            .withRetryInterval(0)
            .withLeaseSeconds(Math.toIntExact(lease.toSeconds()))
            .withMaxDelivery(10)
            .withRetentionDays(0)
            .withMaxExecuting(0)
            .withRateLimit(0)
            .withPaused(0),
        Set.of());
    notifyAll();
    return this;
  }

  /**
   * Takes the {@code traceparent} of each create of tasks and jobs from somewhere, as {@link
   * io.asyncflow.api.HttpFlowClient#withTraceParentFrom} does.
   *
   * @param source asked on the thread of the call; returns {@code null} for none
   */
  public synchronized FakeFlowServer withTraceParentFrom(Supplier<String> source) {
    creates.takeTracesFrom(source);
    return this;
  }

  /**
   * Answers the calls to a path as the test says, also those that this server does not know.
   *
   * @param path such as {@code /api/task/why}
   * @param answer gives what the method of the client returns
   */
  public FakeFlowServer withAnswer(String path, Function<Call<?>, Object> answer) {
    calls.answer(path, answer);
    return this;
  }

  /** The paths of the calls that it answers. */
  public Set<String> answeredPaths() {
    return calls.paths();
  }

  // The contract

  @Override
  public Transport transport() {
    return calls;
  }

  @Override
  public StoreClient store() {
    return objects;
  }

  private void answerCalls() {
    calls
        .write("/api/task/createTask", creates::create)
        .write("/api/task/createTasks", creates::createAll)
        .read("/api/task/getTask", this::getTask)
        .read("/api/task/getTaskList", tasks::ofType)
        .read("/api/task/getUserTaskList", tasks::ofUser)
        .answer("/api/task/hold_task", call -> calls.locked(() -> hold(call)))
        .answer("/api/task/set_tasks", call -> calls.locked(() -> report(call)))
        .answer("/api/worker/heartbeat", call -> calls.locked(() -> heartbeat(call)))
        .read("/api/task_schedule_cfg/list", this::taskTypes)
        .answer("/api/task_schedule_cfg/save", call -> calls.locked(() -> saveTaskType(call)));
    acts.answer(calls);
    jobs.answer(calls);
    schedules.answer(calls);
    events.answer(calls);
    pauses.answer(calls);
  }

  private Task getTask(SentFields in) {
    if (!in.has("taskType") && !in.has("idempotencyKey")) {
      TaskId id = TaskFields.soughtId(in);
      in.refuseIfBad();
      sweep();
      return tasks.shown(tasks.get(id.toString()));
    }
    TaskFields.existingType(in);
    TaskFields.existingKey(in);
    in.refuseIfBad();
    sweep();
    return tasks.shown(
        creates.find(in.text("taskType").value(), in.text("idempotencyKey").value()));
  }

  private HoldAnswer hold(Call<?> call) {
    HoldRequest sent = (HoldRequest) call.body();
    HoldRequest request = holds.checked(sent); // a hold that is refused changes nothing
    List<Report> batch = reportsOf(call);
    if (batch != null) {
      List<ReportResult> outcomes = report(batch);
      HoldAnswer answer = hold(RecordCopy.with(sent, "waitMs", 0));
      return RecordCopy.with(answer, "outcomes", outcomes);
    }
    seen.holds.add(sent);
    workers.hold(request, millis());
    List<Task> held = holds.hold(request);
    return new HoldAnswer(
        held,
        List.of(),
        workers.isDrained(request.workerId(), request.startId()),
        workers.drainGraceMs(request.workerId(), request.startId()),
        holds.isTooOld(request) ? types.named(request.taskType()).minWorkerVersion() : null,
        pauses.hasWorker(request.workerId()));
  }

  /** The reports of a call; {@code null} for none. */
  @SuppressWarnings("unchecked")
  private static List<Report> reportsOf(Call<?> call) {
    return (List<Report>) call.fields().get("reports");
  }

  private Object report(Call<?> call) {
    SentFields in = calls.fieldsOf(call);
    List<Report> batch = reportsOf(call);
    List<SentFields> items = in.separateObjects("reports", 1, TaskLimits.BATCH);
    in.refuseIfBad();
    sweep();
    seen.reports.addAll(batch);
    List<ReportResult> results = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      results.add(reports.settle(batch.get(i), items.get(i)));
    }
    notifyAll();
    return calls.lost(results);
  }

  private Object heartbeat(Call<?> call) {
    SentFields in = calls.fieldsOf(call);
    String workerId = HoldFields.beatingWorker(in);
    List<HeldTask> held =
        HoldFields.heldTasks(in).stream()
            .map(task -> HoldFields.heldTask(task, TaskFields.taskId(task)))
            .toList();
    SentFields worker = in.object("worker");
    HoldFields.host(worker);
    HoldFields.sdkVersion(worker);
    HoldFields.refuseLargeWorker(in, worker);
    String startId = HoldFields.startId(in);
    in.refuseIfBad();
    sweep();
    Heartbeat heartbeat = (Heartbeat) call.body();
    seen.heartbeats.add(heartbeat);
    workers.beat(heartbeat, millis());
    jobs.lookAtTeams();
    notifyAll();
    List<LeaseState> states = held.stream().map(task -> holds.renew(workerId, task)).toList();
    faults.after();
    return new HeartbeatAnswer(
        states, workers.isDrained(workerId, startId), workers.drainGraceMs(workerId, startId));
  }

  private List<TaskTypeSettings> taskTypes(SentFields in) {
    TaskTypeFields.maxAgeMs(in);
    in.refuseIfBad();
    return types.all();
  }

  private Object saveTaskType(Call<?> call) {
    TaskTypeChange change = (TaskTypeChange) call.body();
    SentFields in =
        FakeCalls.acted(sent().with("operator", change.operator()).with("reason", change.reason()));
    String name = types.save(in.withAll(change.settings()), change.removed());
    if (change.settings().paused() != null) {
      pauses.saved(name, change.settings().paused() != 0);
    }
    notifyAll();
    return null;
  }

  // In the place of a worker

  /**
   * Holds the task of a type that a worker would get next, in the name of the worker {@value
   * #TEST_WORKER}. What a type, a stage or a task says of its workers applies to it, too.
   *
   * @return empty if none is due
   */
  public Optional<Task> holdNext(String taskType) {
    return holdTasks(new HoldRequest(taskType, 1, TEST_WORKER, 0, null, null)).stream().findFirst();
  }

  /**
   * Reports that a held task has succeeded.
   *
   * @param result {@code null} for none
   * @throws FlowException if the report is refused, because the hold has ended
   */
  public void succeed(Task held, String result) {
    end(reportOf(held, Outcome.SUCCESS).withResult(result));
  }

  /**
   * Reports that a held task has failed for good; for another outcome, call {@link #report}.
   *
   * @param errMsg why
   * @throws FlowException if the report is refused, because the hold has ended
   */
  public void fail(Task held, String errMsg) {
    end(reportOf(held, Outcome.FAIL).withErrMsg(errMsg));
  }

  private static Report reportOf(Task held, Outcome outcome) {
    return Report.of(held.taskId(), held.workerId(), held.leaseEpoch(), outcome);
  }

  private void end(Report report) {
    ReportResult result = report(List.of(report)).get(0);
    if (!result.stands()) {
      throw new FlowException(ErrorCode.of(result.code(), 0), result.msg());
    }
  }

  // The clock

  /**
   * Does what the clock asks for: leases end, and schedules fire. Each call does so first, and a
   * parked hold does so again and again; this one is for tests that move the clock several times
   * before the next call. Does nothing while the server is down.
   */
  public synchronized void tick() {
    if (!faults.isDown) {
      sweep();
      notifyAll();
    }
  }

  // Faults

  /** Stops or resumes answering; parked holds end at once. */
  public synchronized void setDown(boolean value) {
    faults.isDown = value;
    notifyAll();
  }

  /** The next {@code count} calls take effect, but their answers are lost. */
  public synchronized void swallowAnswers(int count) {
    faults.answersToSwallow = count;
  }

  /** Refuses matching reports from now on. */
  public synchronized void refuseReports(Predicate<Report> which, ErrorCode code) {
    faults.refusedReports = which;
    faults.reportRefusal = code;
  }

  /** Refuses to store objects from now on; {@code null} ends that. */
  public synchronized void refuseObjects(ErrorCode code) {
    faults.objectRefusal = code;
  }

  /**
   * Drains every worker, with its parked holds and its next heartbeat, except later starts under
   * the id of a known worker.
   */
  public synchronized void setDrain(boolean value) {
    setDrain(value, null);
  }

  /**
   * The same with the grace of the workers' runs.
   *
   * @param grace {@code null} for as long as they take
   */
  public synchronized void setDrain(boolean value, Duration grace) {
    workers.setDrain(value, grace, holds.nextHold());
    notifyAll();
  }

  /** Transfers the task from its holder to another worker, as after an expired lease. */
  public synchronized void steal(String taskId) {
    holds.steal(taskId);
  }

  // What it saw

  /** The store with its objects. */
  public FakeStore objects() {
    return objects.store();
  }

  /** All hold calls, in order. */
  public synchronized List<HoldRequest> holds() {
    return List.copyOf(seen.holds);
  }

  /** All received reports, accepted or not, including repeats. */
  public synchronized List<Report> reports() {
    return List.copyOf(seen.reports);
  }

  /** The accepted reports. */
  public synchronized List<Report> accepted() {
    return List.copyOf(seen.accepted);
  }

  public synchronized List<Heartbeat> heartbeats() {
    return List.copyOf(seen.heartbeats);
  }

  /** Waits until the task has this status; {@code false} after {@code atMost}. */
  public boolean awaitStatus(String taskId, TaskStatus status, Duration atMost)
      throws InterruptedException {
    return seen.await(() -> tasks.row(taskId).status() == status, atMost);
  }

  /** Waits until this many reports were accepted; {@code false} after {@code atMost}. */
  public boolean awaitAccepted(int count, Duration atMost) throws InterruptedException {
    return seen.await(() -> seen.accepted.size() >= count, atMost);
  }

  /** Waits for this many hold calls; {@code false} after {@code atMost}. */
  public boolean awaitHolds(int count, Duration atMost) throws InterruptedException {
    return seen.await(() -> seen.holds.size() >= count, atMost);
  }

  /** Waits for this many heartbeats; {@code false} after {@code atMost}. */
  public boolean awaitHeartbeats(int count, Duration atMost) throws InterruptedException {
    return seen.await(() -> seen.heartbeats.size() >= count, atMost);
  }

  // What its parts share

  long nanos() {
    return nanos.getAsLong();
  }

  long millis() {
    return nanos() / 1_000_000;
  }

  /** The fields of a call, which are added and read as the server reads its JSON. */
  SentFields sent() {
    return SentFields.at(millis());
  }

  /** Does what the clock asks for. */
  void sweep() {
    pauses.endDue();
    holds.endLeases();
    jobs.lookAtTeams();
    schedules.makeFires();
  }
}
