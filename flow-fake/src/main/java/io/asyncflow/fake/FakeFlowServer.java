package io.asyncflow.fake;

import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.SteerClient;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.worker.WorkerClient;
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
 * <p>It has no {@link #find()}, {@link #steer()}, {@link #bulk()}, {@link #workers()}, {@link
 * #tables()}, {@link #stats()}, {@link #acts()}, {@link #keys()} and {@link #hooks()}: these throw
 * {@link UnsupportedOperationException}. For code that makes such calls, wrap the fake into a
 * {@link ForwardingFlowClient} that answers them, or test it against a server.
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
        new TaskTypeSettings(
            taskType,
            100,
            Math.toIntExact(interval.toSeconds()),
            Math.toIntExact(maxProcessingTime.toSeconds()),
            3,
            0,
            null,
            Math.toIntExact(lease.toSeconds()),
            10,
            null,
            0,
            0,
            0,
            0,
            null,
            null),
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

  // The contract

  @Override
  public synchronized CreateResult create(NewTask task) {
    before();
    CreateResult result = creates.create(task);
    after();
    return result;
  }

  @Override
  public synchronized List<CreateResult> create(List<NewTask> newTasks) {
    before();
    List<CreateResult> results = creates.create(newTasks);
    after();
    return results;
  }

  @Override
  public synchronized Task getTask(String taskId) {
    before();
    SentFields in = sent().with("taskId", taskId);
    TaskId id = TaskFields.soughtId(in);
    in.refuseIfBad();
    sweep();
    return tasks.shown(tasks.get(id.toString()));
  }

  @Override
  public synchronized Task getTask(String taskType, String idempotencyKey) {
    before();
    SentFields in = sent().with("taskType", taskType).with("idempotencyKey", idempotencyKey);
    TaskFields.existingType(in);
    TaskFields.existingKey(in);
    in.refuseIfBad();
    sweep();
    return tasks.shown(creates.find(taskType, idempotencyKey));
  }

  @Override
  public synchronized TaskPage getTaskList(String taskType, TaskPageRequest request) {
    before();
    return tasks.ofType(taskType, request);
  }

  @Override
  public synchronized TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    before();
    return tasks.ofUser(userId, request);
  }

  @Override
  public synchronized void cancelTask(String taskId, String operator, String reason) {
    String id = actedOn(act(operator, reason).with("taskId", taskId));
    acts.cancel(id);
    after();
  }

  @Override
  public synchronized String retryTask(String taskId, String operator, String reason) {
    String id = actedOn(act(operator, reason).with("taskId", taskId));
    sweep();
    acts.retry(id);
    after();
    return id;
  }

  @Override
  public synchronized void setWorkers(
      String taskId, List<String> workerIds, String operator, String reason) {
    SentFields in = act(operator, reason).with("taskId", taskId).with("workerIds", workerIds);
    Set<String> workers = TaskFields.assignedWorkers(in);
    String id = actedOn(in);
    sweep();
    acts.setWorkers(id, workers);
    after();
  }

  @Override
  public synchronized void restartTask(String taskId, String operator, String reason) {
    String id = actedOn(act(operator, reason).with("taskId", taskId));
    sweep();
    acts.restart(id);
    after();
  }

  @Override
  public synchronized void pauseTask(String taskId, boolean stop, String operator, String reason) {
    String id = actedOn(act(operator, reason).with("taskId", taskId));
    sweep();
    acts.pause(id, stop);
    after();
  }

  @Override
  public synchronized void resumeTask(String taskId, String operator, String reason) {
    String id = actedOn(act(operator, reason).with("taskId", taskId));
    acts.resume(id);
    after();
  }

  /** The id of the task of an act; refuses the act if any field is invalid. */
  private static String actedOn(SentFields in) {
    TaskId id = TaskFields.taskId(in);
    in.refuseIfBad();
    return id.toString();
  }

  @Override
  public synchronized HoldAnswer hold(HoldRequest sent) {
    before();
    HoldRequest request = holds.checked(sent);
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

  @Override
  public synchronized HoldAnswer hold(HoldRequest request, List<Report> batch) {
    before();
    holds.checked(request); // a hold that is refused changes nothing
    List<ReportResult> outcomes = report(batch);
    HoldRequest atOnce =
        new HoldRequest(
            request.taskType(),
            request.limit(),
            request.workerId(),
            0,
            request.holdId(),
            request.stages(),
            request.prefer(),
            request.othersAfterMs(),
            request.startId(),
            request.workerVersion());
    HoldAnswer answer = hold(atOnce);
    return new HoldAnswer(
        answer.tasks(),
        outcomes,
        answer.drain(),
        answer.drainGraceMs(),
        answer.minWorkerVersion(),
        answer.paused());
  }

  @Override
  public synchronized List<ReportResult> report(List<Report> batch) {
    before();
    SentFields in = sent().with("reports", batch);
    List<SentFields> items = in.separateObjects("reports", 1, TaskLimits.BATCH);
    in.refuseIfBad();
    sweep();
    seen.reports.addAll(batch);
    List<ReportResult> results = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      results.add(reports.settle(batch.get(i), items.get(i)));
    }
    notifyAll();
    after();
    return results;
  }

  @Override
  public synchronized HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    before();
    SentFields in = sent().withAll(heartbeat);
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
    seen.heartbeats.add(heartbeat);
    workers.beat(heartbeat, millis());
    jobs.lookAtTeams();
    notifyAll();
    List<LeaseState> states = held.stream().map(task -> holds.renew(workerId, task)).toList();
    after();
    return new HeartbeatAnswer(
        states, workers.isDrained(workerId, startId), workers.drainGraceMs(workerId, startId));
  }

  @Override
  public synchronized List<TaskTypeSettings> taskTypes(Duration maxAge) {
    before();
    SentFields in = sent().with("maxAgeMs", maxAge.toMillis());
    TaskTypeFields.maxAgeMs(in);
    in.refuseIfBad();
    return types.all();
  }

  @Override
  public synchronized void saveTaskType(
      TaskTypeSettings settings,
      Set<TaskTypeSettings.Removable> removed,
      String operator,
      String reason) {
    String name = types.save(act(operator, reason).withAll(settings), removed);
    if (settings.paused() != null) {
      pauses.saved(name, settings.paused() != 0);
    }
    notifyAll();
  }

  @Override
  public JobClient jobs() {
    return jobs;
  }

  @Override
  public ScheduleClient schedules() {
    return schedules;
  }

  @Override
  public EventClient events() {
    return events;
  }

  @Override
  public PauseClient pauses() {
    return pauses;
  }

  @Override
  public FindClient find() {
    throw missing("find()");
  }

  @Override
  public SteerClient steer() {
    throw missing("steer()");
  }

  @Override
  public BulkClient bulk() {
    throw missing("bulk()");
  }

  @Override
  public WorkerClient workers() {
    throw missing("workers()");
  }

  @Override
  public TableClient tables() {
    throw missing("tables()");
  }

  @Override
  public StatsClient stats() {
    throw missing("stats()");
  }

  @Override
  public ActClient acts() {
    throw missing("acts()");
  }

  @Override
  public KeyClient keys() {
    throw missing("keys()");
  }

  @Override
  public HookClient hooks() {
    throw missing("hooks()");
  }

  private static UnsupportedOperationException missing(String call) {
    return new UnsupportedOperationException(
        "FakeFlowServer has no "
            + call
            + ": answer it in the test, in a ForwardingFlowClient around the fake, or use a server,"
            + " as ./asyncflow dev starts one");
  }

  @Override
  public StoreClient store() {
    return objects;
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
    if (!faults.isDown()) {
      sweep();
      notifyAll();
    }
  }

  // Faults

  /** Stops or resumes answering; parked holds end at once. */
  public synchronized void setDown(boolean value) {
    faults.setDown(value);
    notifyAll();
  }

  /** The next {@code count} calls take effect, but their answers are lost. */
  public synchronized void swallowAnswers(int count) {
    faults.swallowAnswers(count);
  }

  /** Refuses matching reports from now on. */
  public synchronized void refuseReports(Predicate<Report> which, ErrorCode code) {
    faults.refuseReports(which, code);
  }

  /** Refuses to store objects from now on; {@code null} ends that. */
  public synchronized void refuseObjects(ErrorCode code) {
    faults.refuseObjects(code);
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

  /** The beginning of a call. */
  void before() {
    faults.before();
  }

  /** The fields of a call, which are added and read as the server reads its JSON. */
  SentFields sent() {
    return SentFields.at(millis());
  }

  /** Begins an act; its fields are still to be added. What it says of itself is only checked. */
  SentFields act(String operator, String reason) {
    before();
    SentFields in = sent().with("operator", operator).with("reason", reason);
    TaskFields.operator(in);
    TaskFields.reason(in);
    return in;
  }

  /** The end of a call, which has taken effect. */
  void after() {
    faults.after();
  }

  /** Does what the clock asks for. */
  void sweep() {
    pauses.endDue();
    holds.endLeases();
    jobs.lookAtTeams();
    schedules.makeFires();
  }
}
