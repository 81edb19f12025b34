package io.asyncflow.worker.testing;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * flowsvr in memory, for tests: tasks, due times, leases and epochs as the contract has them, and
 * the faults that a worker must live with, on demand.
 *
 * <p>Give it to {@code Worker.builder().client(server)}. Thread-safe. It keeps to the contract
 * where a client can see it and leaves out the rest: several tables, rate limits, what goes on the
 * record, the expiry of idempotency keys, and of jobs their keys, their cancelling, their retries
 * and their failure policies.
 */
public final class FakeFlowServer implements FlowClient {

  /** What it remembers of a task beyond what it tells. */
  private static final class Row {
    long number;
    String taskId;
    NewTask created;
    String stage;
    String context;
    String result;
    TaskStatus status = TaskStatus.WAITING;
    int priority;
    long dueAt;
    int retries;
    int epoch;
    int reportedEpoch;
    String reportId;
    String workerId;
    String holdId;
    String traceId;
    long leaseEnd;
    long hardEnd;
    boolean beaten;
    int deliveries;
    Integer progress;
    String log = "";
    String jobId;
  }

  /** An idempotency key; each type has its own. */
  private record Key(String taskType, String text) {
    static Key of(NewTask body) {
      return new Key(body.taskType(), body.idempotencyKey());
    }
  }

  private final LongSupplier nanos;
  private final Map<String, TaskTypeSettings> types = new LinkedHashMap<>();
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final Map<Key, Row> keyed = new HashMap<>();
  private final Map<String, Long> parkedHolds = new HashMap<>();
  private final Map<String, String> starts = new HashMap<>();
  private final Set<String> toldToLeave = new HashSet<>();
  private final List<HoldRequest> holds = new ArrayList<>();
  private final List<Report> reports = new ArrayList<>();
  private final List<Report> accepted = new ArrayList<>();
  private final List<Heartbeat> heartbeats = new ArrayList<>();
  private final FakeJobs jobs = new FakeJobs(this);
  private final FakeStore objects = new FakeStore();
  private long nextNumber = 1;
  private long nextPark = 1;
  private boolean down;
  private Map<String, String> drainedStarts = Map.of();
  private boolean drain;
  private long drainedFrom;
  private int answersToSwallow;
  private Predicate<Report> refusal = report -> false;
  private ErrorCode refusalCode;
  private ErrorCode objectRefusal;

  /** A server whose time is the machine's. */
  public FakeFlowServer() {
    this(epochNanos());
  }

  /**
   * @param nanos the only clock it has; never runs backwards. What is an epoch millisecond in the
   *     contract, as {@code runAt}, is one of this clock
   */
  public FakeFlowServer(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** The time of day when it is asked for, and from then on without the leaps of that clock. */
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
   * Adds or changes a type with times that suit a test.
   *
   * @param interval length of a long poll, in whole seconds
   * @param maxProcessingTime in whole seconds
   * @param lease in whole seconds
   */
  public FakeFlowServer withType(
      String taskType, Duration interval, Duration maxProcessingTime, Duration lease) {
    saveTaskType(
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
            null));
    return this;
  }

  // The contract

  @Override
  public synchronized String createTask(NewTask task) {
    return createTasks(List.of(task)).get(0);
  }

  @Override
  public synchronized List<String> createTasks(List<NewTask> tasks) {
    before();
    List<NewTask> bodies = tasks.stream().map(this::body).toList();
    refuseOtherBodies(bodies);
    List<String> taskIds = bodies.stream().map(this::insertOnce).toList();
    after();
    return taskIds;
  }

  /** What is asked for, however it is spelled; of a type that there is. */
  private NewTask body(NewTask task) {
    return new NewTask(
        task.userId(),
        known(task.taskType()).taskType().toLowerCase(Locale.ROOT),
        task.taskStage(),
        task.scheduleLog(),
        task.taskContext() == null ? "" : task.taskContext(),
        task.priority(),
        task.delayMs(),
        task.runAt(),
        task.maxRetryNum(),
        task.maxRetryInterval(),
        task.idempotencyKey());
  }

  /** Before anything is created: of a call all is, or nothing. */
  private void refuseOtherBodies(List<NewTask> bodies) {
    Map<Key, NewTask> inThisCall = new HashMap<>();
    for (NewTask body : bodies) {
      if (body.idempotencyKey() == null) {
        continue;
      }
      Row standing = keyed.get(Key.of(body));
      NewTask first =
          standing == null ? inThisCall.putIfAbsent(Key.of(body), body) : standing.created;
      if (first != null && !first.equals(body)) {
        throw new FlowException(
            ErrorCode.IDEMPOTENCY_CONFLICT,
            "the idempotency key " + body.idempotencyKey() + " was used with another body");
      }
    }
  }

  private String insertOnce(NewTask body) {
    return body.idempotencyKey() == null
        ? newRow(body, null).taskId
        : keyed.computeIfAbsent(Key.of(body), key -> newRow(body, null)).taskId;
  }

  /** A task of a job, without the faults of a call. */
  String insert(NewTask task, String jobId) {
    return newRow(body(task), jobId).taskId;
  }

  private Row newRow(NewTask body, String jobId) {
    Row row = new Row();
    row.jobId = jobId;
    row.number = nextNumber++;
    row.taskId = row.number + "_" + body.taskType() + "_task_1";
    row.created = body;
    row.stage = body.taskStage();
    row.context = body.taskContext();
    row.priority = body.priority() == null ? 0 : body.priority();
    row.dueAt = dueAt(body, row.priority);
    rows.put(row.taskId, row);
    notifyAll();
    return row;
  }

  private long dueAt(NewTask body, int priority) {
    if (body.runAt() != null) {
      return body.runAt();
    }
    return millis() + (body.delayMs() == null ? -priority * 1000L : body.delayMs());
  }

  @Override
  public synchronized Task getTask(String taskId) {
    before();
    sweep();
    return told(row(taskId));
  }

  private Row row(String taskId) {
    Row row = rows.get(taskId);
    if (row == null) {
      throw new FlowException(ErrorCode.NO_SUCH_TASK, "there is no task " + taskId);
    }
    return row;
  }

  @Override
  public synchronized TaskPage getTaskList(String taskType, TaskPageRequest request) {
    before();
    TaskTypeSettings type = known(taskType);
    return page(request, row -> typeOf(row) == type);
  }

  @Override
  public synchronized TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    before();
    return page(request, row -> row.created.userId().equals(userId));
  }

  private TaskPage page(TaskPageRequest request, Predicate<Row> which) {
    sweep();
    int limit = orElse(request.limit(), 100);
    long end = request.cursor() == null ? nextNumber : Long.parseLong(request.cursor());
    List<Row> newestFirst =
        rows.values().stream()
            .filter(which)
            .filter(row -> row.number < end)
            .filter(row -> request.statuses().isEmpty() || request.statuses().contains(row.status))
            .sorted(Comparator.comparingLong((Row row) -> row.number).reversed())
            .toList();
    List<Row> page = newestFirst.subList(0, Math.min(limit, newestFirst.size()));
    boolean isLast = page.size() == newestFirst.size();
    return new TaskPage(
        page.stream().map(this::told).toList(), isLast ? null : "" + page.get(limit - 1).number);
  }

  @Override
  public synchronized void cancelTask(String taskId, String operator, String reason) {
    before();
    Row row = row(taskId);
    if (row.status != TaskStatus.CANCELLED) {
      if (row.status.isFinal()) {
        throw notAllowed("the task is final: " + row.status);
      }
      row.status = TaskStatus.CANCELLED;
      tellJob(row);
      notifyAll();
    }
    after();
  }

  @Override
  public synchronized String retryTask(String taskId, String operator, String reason) {
    before();
    sweep();
    Row row = row(taskId);
    if (row.status != TaskStatus.FAILED && row.status != TaskStatus.CANCELLED) {
      throw notAllowed("only a failed or cancelled task can be retried");
    }
    if (row.jobId != null) {
      throw notAllowed("the fake flowsvr retries no task of a job");
    }
    row.status = TaskStatus.WAITING;
    row.dueAt = millis() - row.priority * 1000L;
    row.retries = 0;
    row.deliveries = 0;
    row.reportId = row.reportedEpoch == row.epoch ? row.reportId : null;
    row.reportedEpoch = row.epoch;
    notifyAll();
    after();
    return taskId;
  }

  private static FlowException notAllowed(String why) {
    return new FlowException(ErrorCode.TRANSITION_NOT_ALLOWED, why);
  }

  @Override
  public synchronized HoldAnswer hold(HoldRequest request) {
    List<Task> tasks = held(request);
    return new HoldAnswer(tasks, List.of(), isSentAway(request.workerId(), request.startId()));
  }

  private List<Task> held(HoldRequest request) {
    before();
    holds.add(request);
    heardOf(request.workerId(), request.startId());
    // A repeat while the first is parked takes its place.
    long ticket = nextPark++;
    String parkKey = request.workerId() + "/" + request.holdId();
    parkedHolds.put(parkKey, ticket);
    notifyAll();
    long end = nanos.getAsLong() + (request.waitMs() == null ? 0 : request.waitMs()) * 1_000_000L;
    while (true) {
      before();
      List<Task> tasks = holdNow(request);
      long left = end - nanos.getAsLong();
      boolean ends = parkedHolds.get(parkKey) != ticket || isSentAway(request, ticket);
      if (!tasks.isEmpty() || left <= 0 || ends) {
        after();
        return tasks;
      }
      park(left, request);
    }
  }

  /** Parked ones end when the worker is sent away, or the first that comes. */
  private boolean isSentAway(HoldRequest request, long ticket) {
    return isSentAway(request.workerId(), request.startId())
        && (toldToLeave.add(request.workerId()) || ticket < drainedFrom);
  }

  private void heardOf(String workerId, String startId) {
    if (startId != null) {
      starts.put(workerId, startId);
    }
  }

  /** All are, but for those that were started later and say so. */
  private boolean isSentAway(String workerId, String startId) {
    return drain
        && (startId == null || startId.equals(drainedStarts.getOrDefault(workerId, startId)));
  }

  @Override
  public synchronized HoldAnswer hold(HoldRequest request, List<Report> batch) {
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
            request.startId());
    HoldAnswer answer = hold(atOnce);
    return new HoldAnswer(answer.tasks(), outcomes, answer.drain());
  }

  @Override
  public synchronized List<ReportResult> report(List<Report> batch) {
    before();
    sweep();
    reports.addAll(batch);
    List<ReportResult> results = batch.stream().map(this::settle).toList();
    notifyAll();
    after();
    return results;
  }

  @Override
  public synchronized HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    before();
    sweep();
    heartbeats.add(heartbeat);
    heardOf(heartbeat.workerId(), heartbeat.startId());
    notifyAll();
    List<LeaseState> states =
        heartbeat.tasks().stream().map(task -> renew(heartbeat.workerId(), task)).toList();
    after();
    return new HeartbeatAnswer(states, isSentAway(heartbeat.workerId(), heartbeat.startId()));
  }

  @Override
  public synchronized List<TaskTypeSettings> taskTypes(Duration maxAge) {
    before();
    return List.copyOf(types.values());
  }

  @Override
  public synchronized void saveTaskType(TaskTypeSettings settings) {
    types.put(settings.taskType().toLowerCase(Locale.ROOT), settings);
    notifyAll();
  }

  @Override
  public JobClient jobs() {
    return jobs;
  }

  @Override
  public StoreClient store() {
    return new StoreClient() {
      @Override
      public void put(StoreKey key, String workerId, StoreContent content) {
        requireHold(key, workerId);
        objects.put(key, workerId, content);
        gotThrough();
      }

      @Override
      public InputStream open(StoreKey key) {
        gotThrough();
        return objects.open(key);
      }
    };
  }

  private synchronized void requireHold(StoreKey key, String workerId) {
    before();
    if (objectRefusal != null) {
      throw new FlowException(objectRefusal, "refused by the test");
    }
    Row row = row(key.taskId());
    boolean mayReport = row.epoch == key.epoch() && row.reportedEpoch < row.epoch;
    if (row.status.isFinal() || !mayReport || !row.workerId.equals(workerId)) {
      throw new FlowException(ErrorCode.LEASE_LOST, "the lease is lost");
    }
  }

  private synchronized void gotThrough() {
    before();
    after();
  }

  // Faults

  /** From now on nothing is answered, or it is again. Parked holds end at once. */
  public synchronized void setDown(boolean value) {
    down = value;
    notifyAll();
  }

  /** The next calls take effect, but their answers get lost. */
  public synchronized void swallowAnswers(int count) {
    answersToSwallow = count;
  }

  /** Refuses such reports from now on. */
  public synchronized void refuseReports(Predicate<Report> which, ErrorCode code) {
    refusal = which;
    refusalCode = code;
  }

  /** Refuses from now on to take objects into the store; {@code null} ends that. */
  public synchronized void refuseObjects(ErrorCode code) {
    objectRefusal = code;
  }

  /**
   * Tells every worker, with its parked holds and its next heartbeat, to finish and leave; but none
   * that is started from now on under the id of one that was heard of.
   */
  public synchronized void setDrain(boolean value) {
    drain = value;
    drainedStarts = new HashMap<>(starts);
    drainedFrom = nextPark;
    toldToLeave.clear();
    notifyAll();
  }

  /** Takes the task from its holder and gives it to another worker, as after a lost lease. */
  public synchronized void steal(String taskId) {
    Row row = rows.get(taskId);
    row.status = TaskStatus.WAITING;
    take(row, new HoldRequest(null, 1, "thief", 0, UUID.randomUUID().toString(), null), "stolen");
  }

  // What it saw

  /** What was stored. */
  public FakeStore objects() {
    return objects;
  }

  /** Every hold that was asked for, in order. */
  public synchronized List<HoldRequest> holds() {
    return List.copyOf(holds);
  }

  /** Every report that came, accepted or not, repeats included. */
  public synchronized List<Report> reports() {
    return List.copyOf(reports);
  }

  /** The reports that count. */
  public synchronized List<Report> accepted() {
    return List.copyOf(accepted);
  }

  public synchronized List<Heartbeat> heartbeats() {
    return List.copyOf(heartbeats);
  }

  /** Waits until the task has such a status; {@code false} if that took too long. */
  public boolean awaitStatus(String taskId, TaskStatus status, Duration atMost)
      throws InterruptedException {
    return await(() -> rows.get(taskId).status == status, atMost);
  }

  /** Waits until so many reports have been accepted. */
  public boolean awaitAccepted(int count, Duration atMost) throws InterruptedException {
    return await(() -> accepted.size() >= count, atMost);
  }

  /** Waits until so many holds have been asked for. */
  public boolean awaitHolds(int count, Duration atMost) throws InterruptedException {
    return await(() -> holds.size() >= count, atMost);
  }

  /** Waits until so many heartbeats have come. */
  public boolean awaitHeartbeats(int count, Duration atMost) throws InterruptedException {
    return await(() -> heartbeats.size() >= count, atMost);
  }

  private synchronized boolean await(java.util.function.BooleanSupplier condition, Duration atMost)
      throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  // How it works

  private long millis() {
    return nanos.getAsLong() / 1_000_000;
  }

  void before() {
    if (down) {
      throw new FlowUnreachableException("the fake flowsvr is down", null);
    }
  }

  void after() {
    if (answersToSwallow > 0) {
      answersToSwallow--;
      throw new FlowUnreachableException("the answer of the fake flowsvr got lost", null);
    }
  }

  private TaskTypeSettings known(String taskType) {
    TaskTypeSettings type = types.get(taskType.toLowerCase(Locale.ROOT));
    if (type == null) {
      throw new FlowException(ErrorCode.NO_SUCH_TASK_TYPE, "there is no task type " + taskType);
    }
    return type;
  }

  /** Waits for a change, for the end of the park, or for the moment something may be due. */
  private void park(long nanosLeft, HoldRequest request) {
    long now = millis();
    long nextDue =
        rows.values().stream()
            .filter(row -> row.status == TaskStatus.WAITING)
            .mapToLong(row -> Math.max(1, row.dueAt + patienceMs(request, row) - now))
            .min()
            .orElse(Long.MAX_VALUE);
    try {
      // Also looks up now and then: a lease may have run out.
      wait(Math.max(1, Math.min(Math.min(nextDue, 50), nanosLeft / 1_000_000)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlowUnreachableException("interrupted while parked", e);
    }
  }

  private List<Task> holdNow(HoldRequest request) {
    sweep();
    TaskTypeSettings type = known(request.taskType());
    List<Row> same =
        rows.values().stream()
            .filter(row -> row.status == TaskStatus.EXECUTING)
            .filter(row -> request.holdId() != null && request.holdId().equals(row.holdId))
            .filter(row -> row.workerId.equals(request.workerId()))
            .toList();
    if (!same.isEmpty()) {
      return same.stream().map(this::told).toList();
    }
    if (Integer.valueOf(1).equals(type.paused())) {
      return List.of();
    }
    int limit = request.limit() == null || request.limit() == 0 ? 100 : request.limit();
    List<Row> due =
        rows.values().stream()
            .filter(row -> row.status == TaskStatus.WAITING)
            .filter(row -> row.dueAt + patienceMs(request, row) <= millis())
            .filter(row -> typeOf(row) == type)
            .filter(
                row ->
                    request.stages() == null
                        || request.stages().isEmpty()
                        || request.stages().contains(row.stage))
            .sorted(
                Comparator.comparingLong((Row row) -> patienceMs(request, row))
                    .thenComparingLong(row -> row.dueAt))
            .limit(limit)
            .toList();
    String traceId = UUID.randomUUID().toString();
    due.forEach(row -> take(row, request, traceId));
    return due.stream().map(this::told).toList();
  }

  /** How long it must have been due to be for this hold. */
  private static long patienceMs(HoldRequest request, Row row) {
    boolean preferred = request.prefer() != null && request.prefer().contains(row.stage);
    return preferred ? 0 : orElse(request.othersAfterMs(), 0);
  }

  private void take(Row row, HoldRequest request, String traceId) {
    TaskTypeSettings type = typeOf(row);
    row.status = TaskStatus.EXECUTING;
    row.epoch++;
    row.deliveries++;
    row.workerId = request.workerId();
    row.holdId = request.holdId();
    row.traceId = traceId;
    row.beaten = false;
    row.progress = null;
    row.hardEnd = millis() + orElse(type.maxProcessingTime(), 30) * 1000L;
    row.leaseEnd = leaseEnd(row);
  }

  private long leaseEnd(Row row) {
    return Math.min(millis() + orElse(typeOf(row).leaseSeconds(), 30) * 1000L, row.hardEnd);
  }

  private TaskTypeSettings typeOf(Row row) {
    return types.get(row.created.taskType());
  }

  private static int orElse(Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  /** Gives back what nobody renewed. */
  private void sweep() {
    List<Row> timedOut = new ArrayList<>();
    for (Row row : rows.values()) {
      if (row.status == TaskStatus.EXECUTING && row.leaseEnd <= millis()) {
        if (row.beaten) {
          failAttempt(row, "timed out", null);
          timedOut.add(row);
        } else {
          row.status = TaskStatus.WAITING;
          row.dueAt = millis();
          row.log = "worker lost";
        }
      }
    }
    timedOut.forEach(this::tellJob);
  }

  private void failAttempt(Row row, String why, Long retryAfterMs) {
    row.retries++;
    row.log = why;
    if (row.retries > orElse(row.created.maxRetryNum(), orElse(typeOf(row).maxRetryNum(), 3))) {
      row.status = TaskStatus.FAILED;
      return;
    }
    row.status = TaskStatus.WAITING;
    long delay = Math.abs(orElse(typeOf(row).retryInterval(), 10)) * 1000L;
    row.dueAt = millis() + (retryAfterMs == null ? delay : retryAfterMs);
  }

  private LeaseState renew(String workerId, HeldTask task) {
    Row row = rows.get(task.taskId());
    boolean holder = row != null && row.epoch == task.leaseEpoch() && row.workerId.equals(workerId);
    if (holder && row.status == TaskStatus.CANCELLED) {
      return new LeaseState(task.taskId(), task.leaseEpoch(), State.CANCEL, 0);
    }
    if (!holder || row.status != TaskStatus.EXECUTING) {
      return new LeaseState(task.taskId(), task.leaseEpoch(), State.LOST, 0);
    }
    row.beaten = true;
    row.leaseEnd = leaseEnd(row);
    if (task.progress() != null) {
      row.progress = task.progress();
    }
    long left = row.leaseEnd - millis();
    return new LeaseState(task.taskId(), task.leaseEpoch(), State.EXTENDED, left);
  }

  private ReportResult settle(Report report) {
    if (refusal.test(report)) {
      return ReportResult.refused(report.taskId(), refusalCode, "refused by the test");
    }
    Row row = rows.get(report.taskId());
    if (row == null) {
      return ReportResult.refused(report.taskId(), ErrorCode.NO_SUCH_TASK, "no such task");
    }
    if (report.reportId() != null && report.reportId().equals(row.reportId)) {
      return ReportResult.alreadyDone(report.taskId());
    }
    if (row.status.isFinal()) {
      return ReportResult.refused(
          report.taskId(), ErrorCode.TRANSITION_NOT_ALLOWED, "the task is " + row.status);
    }
    if (row.epoch != report.leaseEpoch()
        || row.reportedEpoch >= row.epoch
        || !row.workerId.equals(report.workerId())) {
      return ReportResult.refused(report.taskId(), ErrorCode.LEASE_LOST, "the lease is lost");
    }
    if (bytes(report.taskContext()) > StoredText.MOST_BYTES_IN_A_ROW
        || bytes(report.result()) > StoredText.MOST_BYTES_IN_A_ROW) {
      return ReportResult.refused(report.taskId(), ErrorCode.TOO_LARGE, "at most 4096 bytes");
    }
    accept(row, report);
    return ReportResult.accepted(report.taskId());
  }

  private void accept(Row row, Report report) {
    row.reportedEpoch = row.epoch;
    row.reportId = report.reportId();
    row.deliveries = 0;
    accepted.add(report);
    if (report.outcome() == Outcome.NEXT_STAGE) {
      row.status = TaskStatus.WAITING;
      row.stage = report.taskStage();
      row.context = report.taskContext() == null ? row.context : report.taskContext();
      row.priority = report.priority() == null ? row.priority : report.priority();
      row.dueAt = millis() - row.priority * 1000L;
      row.retries = 0;
    } else if (report.outcome() == Outcome.SUCCESS) {
      row.status = TaskStatus.SUCCESS;
      row.result = report.result();
    } else if (report.outcome() == Outcome.FAIL) {
      row.status = TaskStatus.FAILED;
      row.log = report.errMsg();
    } else if (report.outcome() == Outcome.RETRY) {
      failAttempt(row, report.errMsg(), report.retryAfterMs());
    } else {
      row.status = TaskStatus.WAITING;
      row.dueAt = report.delayMs() == null ? row.dueAt : millis() + report.delayMs();
    }
    tellJob(row);
  }

  private void tellJob(Row row) {
    if (row.jobId != null && row.status.isFinal()) {
      jobs.ended(row.jobId, row.taskId, row.status, row.result);
    }
  }

  private static int bytes(String text) {
    return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
  }

  private Task told(Row row) {
    TaskTypeSettings type = typeOf(row);
    boolean executing = row.status == TaskStatus.EXECUTING;
    return new Task(
        row.created.userId(),
        row.taskId,
        type.taskType().toLowerCase(Locale.ROOT),
        row.stage,
        row.status.code(),
        row.priority,
        row.dueAt,
        row.retries,
        orElse(row.created.maxRetryNum(), orElse(type.maxRetryNum(), 3)),
        orElse(type.retryInterval(), 10),
        row.log,
        row.context,
        0,
        0,
        row.epoch,
        executing ? Math.max(0, row.leaseEnd - millis()) : null,
        row.workerId,
        row.deliveries,
        row.traceId,
        row.jobId,
        row.progress,
        row.result);
  }
}
