package io.asyncflow.fake;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TraceParent;
import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.SteerClient;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.api.worker.WorkerClient;
import io.asyncflow.rules.DuplicateCreate;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.SealRule;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TransitionNotAllowedException;
import io.asyncflow.rules.TypeRules;
import io.asyncflow.rules.access.Secrets;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.Refusal;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * An in-memory flowsvr for tests: tasks, due times, leases and epochs as in the contract, and
 * faults on demand, and schedules under the same clock.
 *
 * <p>Give it to {@code Worker.builder().client(server)}. Thread-safe. It implements the contract as
 * far as clients can see it, except: several tables, rate limits, another try of a refused fire,
 * audit records, the expiry of the history of schedules, the keys, retries and failure policies of
 * jobs, and the events of jobs and schedules. Tasks, pages, names of types and acts on tasks are
 * refused as the server refuses them; the numbers of a type and the fields of jobs are not checked.
 *
 * <p>It has no {@link #find()}, {@link #steer()}, {@link #bulk()}, {@link #workers()}, {@link
 * #stats()}, {@link #acts()}, {@link #keys()} and {@link #hooks()}: these throw {@link
 * UnsupportedOperationException}. For code that makes such calls, wrap the fake into a {@link
 * ForwardingFlowClient} that answers them, or test it against a server.
 *
 * <p>Nothing happens between calls: each call first does what the clock asks for, as {@link #tick}
 * does. So schedules fire when the clock of the test has reached their time. As in the server, a
 * task is created up to 30 seconds before its fire time if nothing can change that, and is due at
 * its fire time. If the clock has passed a fire time by more than a minute at the next call, that
 * is an outage, and the schedule's {@link CatchUp} decides; to see every fire, move the clock from
 * one to the next. Cron expressions need Spring's {@code spring-context} on the class path.
 */
public final class FakeFlowServer implements FlowClient {

  /** A task: its row, as in the server, and the request that created it. */
  private static final class Entry {
    NewTask created;
    TaskRow row;
    String holdId;

    /** The workers that may hold it; empty for all. */
    Set<String> workers = Set.of();

    Entry(NewTask created, TaskRow row) {
      this.row = row;
      takeBody(created);
    }

    void takeBody(NewTask body) {
      created = body;
      workers = body.workerIds() == null ? Set.of() : Set.copyOf(body.workerIds());
    }

    boolean mayBeHeldBy(String worker) {
      return workers.isEmpty() || workers.contains(worker);
    }
  }

  /** An idempotency key; each type has its own. */
  private record Key(String taskType, String text) {
    static Key of(NewTask body) {
      return new Key(body.taskType(), body.idempotencyKey());
    }
  }

  /**
   * What a key stands for.
   *
   * @param expireTime epoch ms; later the key is free
   */
  private record KeyUse(Entry entry, long expireTime) {}

  /** What stands under a key, while the tasks of a call are created one after another. */
  private record Standing(TaskStatus status, NewTask body) {
    static Standing of(Entry entry) {
      return new Standing(entry.row.status(), entry.created);
    }
  }

  /** The worker of {@link #holdNext}. */
  public static final String TEST_WORKER = "test";

  private static final long DEFAULT_KEY_MS = Duration.ofDays(7).toMillis();

  private static final Comparator<Entry> BY_DUE_TIME =
      Comparator.comparingLong((Entry entry) -> entry.row.orderTime())
          .thenComparing(entry -> entry.workers.isEmpty())
          .thenComparingLong(entry -> entry.row.id().number());

  private final LongSupplier nanos;
  private final Map<String, TaskTypeSettings> types = new LinkedHashMap<>();
  private final Map<String, Entry> tasks = new LinkedHashMap<>();
  private final Map<Key, KeyUse> keyed = new HashMap<>();
  private final Map<String, List<String>> createdByReports = new HashMap<>();
  private final Map<String, Long> parkedHolds = new HashMap<>();
  private final Map<String, String> starts = new HashMap<>();
  private final Set<String> toldToLeave = new HashSet<>();
  private final List<HoldRequest> holds = new ArrayList<>();
  private final List<Report> reports = new ArrayList<>();
  private final List<Report> accepted = new ArrayList<>();
  private final List<Heartbeat> heartbeats = new ArrayList<>();
  private final FakeEvents events = new FakeEvents(this);
  private final FakePauses pauses = new FakePauses(this);
  private final FakeWorkers workers = new FakeWorkers(pauses);
  private final FakeJobs jobs = new FakeJobs(this, workers);
  private final FakeSchedules schedules = new FakeSchedules(this, jobs);
  private final FakeStore objects = new FakeStore();
  private long nextNumber = 1;
  private long nextPark = 1;
  private boolean down;
  private Map<String, String> drainedStarts = Map.of();
  private boolean drain;
  private Long drainGraceMs;
  private long drainedFrom;
  private int answersToSwallow;
  private Predicate<Report> refusal = report -> false;
  private ErrorCode refusalCode;
  private ErrorCode objectRefusal;
  private Supplier<String> traceParents = () -> null;

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

  /**
   * Takes the {@code traceparent} of each create of tasks and jobs from somewhere, as {@link
   * io.asyncflow.api.HttpFlowClient#withTraceParentFrom} does.
   *
   * @param source asked on the thread of the call; returns {@code null} for none
   */
  public synchronized FakeFlowServer withTraceParentFrom(Supplier<String> source) {
    traceParents = source;
    return this;
  }

  /** The trace of a create; {@code null} for none. */
  String traceParentOfCall() {
    return valid(traceParents.get());
  }

  private static String traceParentOf(Report report, Entry entry) {
    String own = valid(report.traceParent());
    return own == null ? entry.row.traceParent() : own;
  }

  private static String valid(String traceParent) {
    return TraceParent.parse(traceParent).map(TraceParent::text).orElse(null);
  }

  // The contract

  @Override
  public synchronized CreateResult create(NewTask task) {
    before();
    SentFields in = new SentFields();
    SentTask.check(in.object("taskData", task), millis());
    in.refuseIfBad();
    List<NewTask> bodies = bodiesOf(List.of(task), i -> "taskData");
    CreateResult result = createAll(bodies, null, traceParentOfCall()).get(0);
    after();
    return result;
  }

  @Override
  public synchronized List<CreateResult> create(List<NewTask> tasks) {
    before();
    SentFields in = new SentFields();
    List<Set<String>> workers = new ArrayList<>();
    for (SentFields task : in.objects("taskDataList", tasks, 1, TaskLimits.BATCH)) {
      workers.add(SentTask.check(task, millis()));
    }
    TaskFields.refuseManySets(in, "taskDataList", workers.stream());
    in.refuseIfBad();
    List<NewTask> bodies = bodiesOf(tasks, i -> "taskDataList[" + i + "]");
    List<CreateResult> results = createAll(bodies, null, traceParentOfCall());
    after();
    return results;
  }

  /**
   * The normalized tasks of a client.
   *
   * @param path the field that holds a task, by its place
   */
  private List<NewTask> bodiesOf(List<NewTask> tasks, IntFunction<String> path) {
    List<NewTask> bodies = tasks.stream().map(this::body).toList();
    for (int i = 0; i < bodies.size(); i++) {
      NewTask body = bodies.get(i);
      checkSealing(body.taskType(), body.taskContext(), path.apply(i) + ".taskContext");
    }
    return bodies;
  }

  /** Refuses a text that its type does not take. */
  void checkSealing(String taskType, String text, String field) {
    SealRule.of(orElse(settingsOf(taskType).sealed(), 0)).check(taskType, text, field);
  }

  /** The normalized task; its type must exist. */
  private NewTask body(NewTask task) {
    SentFields in = new SentFields().withAll(task);
    TaskFields.taskType(in);
    in.refuseIfBad();
    return task.withTaskType(settingsOf(task.taskType()).taskType().toLowerCase(Locale.ROOT))
        .withTaskContext(task.taskContext() == null ? "" : task.taskContext());
  }

  /**
   * Creates all tasks or, if one is refused, none.
   *
   * @param fire {@code null} if no schedule creates them
   * @param traceParent {@code null} for none
   */
  private List<CreateResult> createAll(List<NewTask> bodies, FireId fire, String traceParent) {
    List<CreateOutcome> outcomes = outcomes(bodies);
    List<CreateResult> results = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      NewTask body = bodies.get(i);
      Entry entry =
          switch (outcomes.get(i)) {
            case CREATED -> newEntry(body, null, fire, traceParent);
            case EXISTING, KEPT -> keyed.get(Key.of(body)).entry();
            case REPLACED, RERUN -> renewed(keyed.get(Key.of(body)).entry(), body, traceParent);
          };
      if (body.idempotencyKey() != null && isWritten(outcomes.get(i))) {
        long keyMs = body.keyMs() == null ? DEFAULT_KEY_MS : body.keyMs();
        keyed.put(Key.of(body), new KeyUse(entry, millis() + keyMs));
      }
      results.add(new CreateResult(entry.row.id().toString(), outcomes.get(i)));
    }
    return results;
  }

  private static boolean isWritten(CreateOutcome outcome) {
    return outcome != CreateOutcome.EXISTING && outcome != CreateOutcome.KEPT;
  }

  /**
   * What each create does after those before it.
   *
   * @throws FlowException if one is refused
   */
  private List<CreateOutcome> outcomes(List<NewTask> bodies) {
    keyed.values().removeIf(use -> use.expireTime() < millis());
    Map<Key, Standing> standings = new HashMap<>();
    keyed.forEach((key, use) -> standings.put(key, Standing.of(use.entry())));
    List<CreateOutcome> outcomes = new ArrayList<>();
    for (NewTask body : bodies) {
      CreateOutcome outcome = CreateOutcome.CREATED;
      if (body.idempotencyKey() != null) {
        Standing standing = standings.get(Key.of(body));
        outcome = standing == null ? CreateOutcome.CREATED : outcome(body, standing);
        if (isWritten(outcome)) {
          standings.put(Key.of(body), new Standing(TaskStatus.WAITING, withoutOptions(body)));
        }
      }
      outcomes.add(outcome);
    }
    return outcomes;
  }

  private static CreateOutcome outcome(NewTask body, Standing standing) {
    return DuplicateCreate.outcome(
            orElse(body.onDuplicate(), OnDuplicate.SAME),
            Integer.valueOf(1).equals(body.keyUntilDone()),
            standing.status(),
            withoutOptions(body).equals(standing.body()))
        .orElseThrow(() -> new KeyConflictException(body));
  }

  /** A key was used with another body. */
  private static final class KeyConflictException extends FlowException {

    private static final long serialVersionUID = 1L;

    private final transient NewTask body;

    KeyConflictException(NewTask body) {
      super(
          ErrorCode.IDEMPOTENCY_CONFLICT,
          "the idempotency key " + body.idempotencyKey() + " was used with another body");
      this.body = body;
    }
  }

  /** The options of a key are not part of the body. */
  private static NewTask withoutOptions(NewTask task) {
    return new NewTask(
            task.userId(),
            task.taskType(),
            task.taskStage(),
            task.scheduleLog(),
            task.taskContext(),
            task.priority(),
            task.delayMs(),
            task.runAt(),
            task.maxRetryNum(),
            task.maxRetryInterval(),
            task.idempotencyKey())
        .withMaxUnexpectedRetries(task.maxUnexpectedRetries())
        .withWorkerIds(
            task.workerIds() == null ? null : List.copyOf(new TreeSet<>(task.workerIds())));
  }

  private Entry renewed(Entry entry, NewTask body, String traceParent) {
    boolean isWaiting = entry.row.status() == TaskStatus.WAITING;
    entry.takeBody(withoutOptions(body));
    entry.row = entry.row.renewed(newRow(entry.row.id(), body, null, null, traceParent));
    tell(isWaiting ? EventKind.REPLACED : EventKind.REVIVED, entry, null);
    if (entry.row.fire() != null) {
      TriggeredRun run = new TriggeredRun(entry.row.id().toString(), null);
      runEnded(entry.row.fire(), run, null, null);
    }
    notifyAll();
    return entry;
  }

  /**
   * Inserts a task of a job, without injected faults.
   *
   * @param traceParent {@code null} for none
   */
  String insert(NewTask task, JobPlace place, String traceParent) {
    return newEntry(body(task), place, null, traceParent).row.id().toString();
  }

  /** Inserts the task of a fire, without injected faults; the same key gives the same task. */
  String insert(NewTask task, FireId fire) {
    return createAll(List.of(body(task)), fire, null).get(0).taskId();
  }

  /** A number for a task or a schedule. */
  long newNumber() {
    return nextNumber++;
  }

  private Entry newEntry(NewTask body, JobPlace place, FireId fire, String traceParent) {
    TaskId id = new TaskId(newNumber(), new TaskTable(new TaskType(body.taskType()), 1));
    Entry entry = new Entry(withoutOptions(body), newRow(id, body, place, fire, traceParent));
    tasks.put(id.toString(), entry);
    tell(EventKind.CREATED, entry, null);
    notifyAll();
    return entry;
  }

  private TaskRow newRow(TaskId id, NewTask body, JobPlace place, FireId fire, String traceParent) {
    int priority = orElse(body.priority(), 0);
    return TaskRow.waiting(
        id,
        body.userId(),
        body.taskStage(),
        priority,
        dueAt(body, priority),
        body.maxRetryNum(),
        body.maxRetryInterval(),
        body.maxUnexpectedRetries(),
        body.taskContext(),
        Objects.requireNonNullElse(Secrets.masked(body.scheduleLog()), ""),
        place,
        fire,
        traceParent,
        millis());
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
    return shown(entry(taskId));
  }

  @Override
  public synchronized Task getTask(String taskType, String idempotencyKey) {
    before();
    SentFields in =
        new SentFields().with("taskType", taskType).with("idempotencyKey", idempotencyKey);
    TaskFields.existingType(in);
    TaskFields.existingKey(in);
    in.refuseIfBad();
    sweep();
    KeyUse use =
        keyed.get(
            new Key(settingsOf(taskType).taskType().toLowerCase(Locale.ROOT), idempotencyKey));
    if (use == null || use.expireTime() < millis()) {
      throw new FlowException(ErrorCode.NO_SUCH_TASK, "no task has the key " + idempotencyKey);
    }
    return shown(use.entry());
  }

  /** With its workers, which lists and holds do not have. */
  private Task shown(Entry entry) {
    return toTask(entry).withWorkerIds(entry.workers);
  }

  private Entry entry(String taskId) {
    Entry entry = tasks.get(taskId);
    if (entry == null) {
      if (TaskId.parse(taskId).isEmpty()) {
        throw invalid("taskId", "is not a task id");
      }
      throw new FlowException(ErrorCode.NO_SUCH_TASK, "there is no task " + taskId);
    }
    return entry;
  }

  @Override
  public synchronized TaskPage getTaskList(String taskType, TaskPageRequest request) {
    before();
    SentFields in = new SentFields().with("taskType", taskType).withAll(request);
    TaskFields.existingType(in);
    int limit = PageFields.limit(in);
    PageFields.cursor(in);
    in.refuseIfBad();
    TaskTypeSettings type = settingsOf(taskType);
    return page(request, limit, entry -> typeOf(entry) == type);
  }

  @Override
  public synchronized TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    before();
    SentFields in = new SentFields().with("userId", userId).withAll(request);
    TaskFields.userId(in);
    int limit = PageFields.limit(in);
    PageFields.cursor(in);
    in.refuseIfBad();
    return page(request, limit, entry -> entry.row.userId().equals(userId));
  }

  private TaskPage page(TaskPageRequest request, int limit, Predicate<Entry> which) {
    sweep();
    long end =
        PageFields.numberOf(request.cursor())
            .orElseThrow(() -> invalid("cursor", PageFields.CURSOR_RULE));
    List<Entry> newestFirst =
        tasks.values().stream()
            .filter(which)
            .filter(entry -> entry.row.id().number() < end)
            .filter(
                entry ->
                    request.statuses().isEmpty() || request.statuses().contains(entry.row.status()))
            .sorted(Comparator.comparingLong((Entry entry) -> entry.row.id().number()).reversed())
            .toList();
    List<Entry> page = newestFirst.subList(0, Math.min(limit, newestFirst.size()));
    boolean isLast = page.size() == newestFirst.size();
    return new TaskPage(
        page.stream().map(this::toTask).toList(),
        isLast ? null : "" + page.get(limit - 1).row.id().number());
  }

  private static FlowException invalid(String field, String message) {
    return Refusal.of(List.of(new FieldError(field, message)), 0);
  }

  @Override
  public synchronized void cancelTask(String taskId, String operator, String reason) {
    before();
    cancel(taskId);
    after();
  }

  /** Cancels a task, without injected faults. */
  void cancel(String taskId) {
    Entry entry = entry(taskId);
    if (act(entry, EventKind.CANCELLED, TaskActs::cancelled)) {
      tellOfEnd(entry);
    }
  }

  /** Writes what an act makes of a task; false if there is nothing to do. */
  private boolean act(Entry entry, EventKind kind, UnaryOperator<TaskRow> act) {
    TaskRow before = rowNow(entry);
    TaskRow after = act.apply(before);
    if (after.equals(before)) {
      return false;
    }
    entry.row = after;
    if (after.status() != before.status()) {
      tell(kind, entry, null);
    }
    notifyAll();
    return true;
  }

  /** The row of a task, without injected faults. */
  TaskRow row(String taskId) {
    return entry(taskId).row;
  }

  @Override
  public synchronized String retryTask(String taskId, String operator, String reason) {
    before();
    sweep();
    TaskRow row = entry(taskId).row;
    TaskActs.requireRetryable(row);
    if (row.place() != null) {
      throw new TransitionNotAllowedException(
          row.id(), "the fake flowsvr retries no task of a job");
    }
    revive(taskId);
    if (row.fire() != null) {
      runEnded(row.fire(), new TriggeredRun(taskId, null), null, null);
    }
    after();
    return taskId;
  }

  /** Lets a failed or cancelled task wait with all its retries, without injected faults. */
  void revive(String taskId) {
    act(entry(taskId), EventKind.REVIVED, TaskActs::retried);
  }

  /** Gives a task to another worker, without injected faults. */
  void moveTo(String taskId, String worker) {
    entry(taskId).workers = Set.of(worker);
    notifyAll();
  }

  @Override
  public synchronized void setWorkers(
      String taskId, List<String> workerIds, String operator, String reason) {
    before();
    sweep();
    Entry entry = entry(taskId);
    Set<String> workerSet = Set.copyOf(workerIds);
    act(
        entry,
        EventKind.REVOKED,
        row -> TaskActs.reassigned(row, workerSet, row.lane()));
    entry.workers = workerSet;
    notifyAll();
    after();
  }

  @Override
  public synchronized void restartTask(String taskId, String operator, String reason) {
    before();
    sweep();
    act(entry(taskId), EventKind.REVOKED, TaskActs::restarted);
    after();
  }

  @Override
  public synchronized void pauseTask(String taskId, boolean stop, String operator, String reason) {
    before();
    sweep();
    act(entry(taskId), EventKind.PAUSED, row -> TaskActs.paused(row, stop));
    after();
  }

  /** Pauses a waiting task, without injected faults. */
  void pause(String taskId) {
    act(entry(taskId), EventKind.PAUSED, row -> TaskActs.paused(row, false));
  }

  @Override
  public synchronized void resumeTask(String taskId, String operator, String reason) {
    before();
    act(entry(taskId), EventKind.RESUMED, TaskActs::resumed);
    after();
  }

  /** Lets a task wait again if it is paused, without injected faults. */
  void resume(String taskId) {
    if (row(taskId).status() == TaskStatus.PAUSED) {
      act(entry(taskId), EventKind.RESUMED, TaskActs::resumed);
    }
  }

  @Override
  public synchronized HoldAnswer hold(HoldRequest request) {
    List<Task> tasks = held(request);
    boolean isDrained = isDrained(request.workerId(), request.startId());
    return new HoldAnswer(
        tasks,
        List.of(),
        isDrained,
        isDrained ? drainGraceMs : null,
        isTooOld(request) ? settingsOf(request.taskType()).minWorkerVersion() : null,
        pauses.hasWorker(request.workerId()));
  }

  private List<Task> held(HoldRequest request) {
    before();
    SentFields in = new SentFields().withAll(request);
    TaskFields.taskType(in);
    in.refuseIfBad();
    holds.add(request);
    workers.hold(request.workerId(), millis());
    heardOf(request.workerId(), request.startId());
    // A repeat replaces the parked first call.
    long ticket = nextPark++;
    String parkKey = request.workerId() + "/" + request.holdId();
    parkedHolds.put(parkKey, ticket);
    notifyAll();
    long end = nanos.getAsLong() + (request.waitMs() == null ? 0 : request.waitMs()) * 1_000_000L;
    while (true) {
      before();
      long lookTime = millis();
      List<Task> tasks = holdNow(request);
      long remaining = end - nanos.getAsLong();
      boolean ends = parkedHolds.get(parkKey) != ticket || isDrained(request, ticket);
      if (!tasks.isEmpty() || remaining <= 0 || ends) {
        after();
        return tasks;
      }
      park(remaining, request, lookTime);
    }
  }

  /** Whether the worker is drained, which ends its parked holds or its next hold. */
  private boolean isDrained(HoldRequest request, long ticket) {
    return isDrained(request.workerId(), request.startId())
        && (toldToLeave.add(request.workerId()) || ticket < drainedFrom);
  }

  private void heardOf(String workerId, String startId) {
    if (startId != null) {
      starts.put(workerId, startId);
    }
  }

  /** All workers are drained except those with a later start id. */
  private boolean isDrained(String workerId, String startId) {
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
    workers.beat(heartbeat, millis());
    jobs.lookAtTeams();
    heardOf(heartbeat.workerId(), heartbeat.startId());
    notifyAll();
    List<LeaseState> states =
        heartbeat.tasks().stream().map(task -> renew(heartbeat.workerId(), task)).toList();
    after();
    boolean isDrained = isDrained(heartbeat.workerId(), heartbeat.startId());
    return new HeartbeatAnswer(states, isDrained, isDrained ? drainGraceMs : null);
  }

  @Override
  public synchronized List<TaskTypeSettings> taskTypes(Duration maxAge) {
    before();
    return List.copyOf(types.values());
  }

  @Override
  public synchronized void saveTaskType(
      TaskTypeSettings settings, Set<TaskTypeSettings.Removable> removed) {
    SentFields in = new SentFields().with("task_type", settings.taskType());
    TaskType type = in.text("task_type").required().as(TaskType::parse, TaskType.RULE);
    TaskFields.refuseReserved(in, "task_type", type);
    in.refuseIfBad();
    String name = type.name();
    types.merge(name, settings, (before, changes) -> changed(before, changes, removed));
    if (settings.paused() != null) {
      pauses.saved(name, settings.paused() != 0);
    }
    notifyAll();
  }

  /** Applies changes; absent values stay unchanged. */
  private static TaskTypeSettings changed(
      TaskTypeSettings before, TaskTypeSettings changes, Set<TaskTypeSettings.Removable> removed) {
    return new TaskTypeSettings(
        changes.taskType(),
        orElse(changes.scheduleLimit(), before.scheduleLimit()),
        orElse(changes.scheduleInterval(), before.scheduleInterval()),
        orElse(changes.maxProcessingTime(), before.maxProcessingTime()),
        orElse(changes.maxRetryNum(), before.maxRetryNum()),
        orElse(changes.retryInterval(), before.retryInterval()),
        removed.contains(TaskTypeSettings.Removable.MAX_RETRY_INTERVAL)
            ? null
            : orElse(changes.maxRetryInterval(), before.maxRetryInterval()),
        removed.contains(TaskTypeSettings.Removable.MAX_UNEXPECTED_RETRIES)
            ? null
            : orElse(changes.maxUnexpectedRetries(), before.maxUnexpectedRetries()),
        orElse(changes.leaseSeconds(), before.leaseSeconds()),
        orElse(changes.maxDelivery(), before.maxDelivery()),
        orElse(changes.rollThreshold(), before.rollThreshold()),
        orElse(changes.retentionDays(), before.retentionDays()),
        orElse(changes.maxExecuting(), before.maxExecuting()),
        orElse(changes.rateLimit(), before.rateLimit()),
        orElse(changes.userRateLimit(), before.userRateLimit()),
        orElse(changes.minWorkerVersion(), before.minWorkerVersion()),
        orElse(changes.paused(), before.paused()),
        orElse(changes.events(), before.events()),
        orElse(changes.sealed(), before.sealed()),
        before.createTime(),
        before.modifyTime());
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
    return new StoreClient() {
      @Override
      public void put(StoreKey key, String workerId, StoreContent content) {
        requireHold(key, workerId);
        checkSealing(key.taskType(), beginningOf(content), "object " + key);
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

  private static String beginningOf(StoreContent content) {
    try (InputStream in = content.open()) {
      byte[] bytes = in.readNBytes(SealedText.BEGINNING.length());
      return new String(bytes, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void requireHold(StoreKey key, String workerId) {
    before();
    if (objectRefusal != null) {
      throw new FlowException(objectRefusal, "refused by the test");
    }
    HoldFence.require(entry(key.taskId()).row, key.epoch(), workerId);
  }

  private synchronized void gotThrough() {
    before();
    after();
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
    if (!down) {
      sweep();
      notifyAll();
    }
  }

  // Faults

  /** Stops or resumes answering; parked holds end at once. */
  public synchronized void setDown(boolean value) {
    down = value;
    notifyAll();
  }

  /** The next {@code count} calls take effect, but their answers are lost. */
  public synchronized void swallowAnswers(int count) {
    answersToSwallow = count;
  }

  /** Refuses matching reports from now on. */
  public synchronized void refuseReports(Predicate<Report> which, ErrorCode code) {
    refusal = which;
    refusalCode = code;
  }

  /** Refuses to store objects from now on; {@code null} ends that. */
  public synchronized void refuseObjects(ErrorCode code) {
    objectRefusal = code;
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
    drain = value;
    drainGraceMs = grace == null ? null : grace.toMillis();
    drainedStarts = new HashMap<>(starts);
    drainedFrom = nextPark;
    toldToLeave.clear();
    notifyAll();
  }

  /** Transfers the task from its holder to another worker, as after an expired lease. */
  public synchronized void steal(String taskId) {
    Entry entry = entry(taskId);
    entry.row = entry.row.copy().status(TaskStatus.WAITING).row();
    take(entry, new HoldRequest(null, 1, "thief", 0, UUID.randomUUID().toString(), null), "stolen");
  }

  // What it saw

  /** The store with its objects. */
  public FakeStore objects() {
    return objects;
  }

  /** All hold calls, in order. */
  public synchronized List<HoldRequest> holds() {
    return List.copyOf(holds);
  }

  /** All received reports, accepted or not, including repeats. */
  public synchronized List<Report> reports() {
    return List.copyOf(reports);
  }

  /** The accepted reports. */
  public synchronized List<Report> accepted() {
    return List.copyOf(accepted);
  }

  public synchronized List<Heartbeat> heartbeats() {
    return List.copyOf(heartbeats);
  }

  /** Waits until the task has this status; {@code false} after {@code atMost}. */
  public boolean awaitStatus(String taskId, TaskStatus status, Duration atMost)
      throws InterruptedException {
    return await(() -> entry(taskId).row.status() == status, atMost);
  }

  /** Waits until this many reports were accepted; {@code false} after {@code atMost}. */
  public boolean awaitAccepted(int count, Duration atMost) throws InterruptedException {
    return await(() -> accepted.size() >= count, atMost);
  }

  /** Waits for this many hold calls; {@code false} after {@code atMost}. */
  public boolean awaitHolds(int count, Duration atMost) throws InterruptedException {
    return await(() -> holds.size() >= count, atMost);
  }

  /** Waits for this many heartbeats; {@code false} after {@code atMost}. */
  public boolean awaitHeartbeats(int count, Duration atMost) throws InterruptedException {
    return await(() -> heartbeats.size() >= count, atMost);
  }

  private synchronized boolean await(java.util.function.BooleanSupplier condition, Duration atMost)
      throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      long remaining = (end - System.nanoTime()) / 1_000_000;
      if (remaining <= 0) {
        return false;
      }
      wait(remaining);
    }
    return true;
  }

  // How it works

  long millis() {
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

  TaskTypeSettings settingsOf(String taskType) {
    SentFields in = new SentFields().with("taskType", taskType);
    TaskType name = TaskFields.existingType(in);
    in.refuseIfBad();
    TaskTypeSettings type = types.get(name.name());
    if (type == null) {
      throw new FlowException(
          ErrorCode.NO_SUCH_TASK_TYPE, "there is no task type " + name + "; withType adds one");
    }
    return type;
  }

  /**
   * Waits for a change, the end of the park, or the moment at which a task becomes due.
   *
   * @param lookTime when the hold last looked: what was due then waits for a change
   */
  private void park(long nanosLeft, HoldRequest request, long lookTime) {
    long now = millis();
    long nextDue =
        tasks.values().stream()
            .map(entry -> entry.row)
            .filter(row -> row.status() == TaskStatus.WAITING)
            .mapToLong(row -> row.orderTime() + patienceMs(request, row))
            .filter(dueTime -> dueTime > lookTime)
            .map(dueTime -> Math.max(1, dueTime - now))
            .min()
            .orElse(Long.MAX_VALUE);
    long nextFire = schedules.nextWakeTime() - now;
    try {
      // Also wakes periodically, because a lease may have expired.
      long soon = Math.min(50, Math.min(nextDue, nextFire));
      wait(Math.max(1, Math.min(soon, nanosLeft / 1_000_000)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlowUnreachableException("interrupted while parked", e);
    }
  }

  private List<Task> holdNow(HoldRequest request) {
    sweep();
    TaskTypeSettings type = settingsOf(request.taskType());
    if (workerOf(request).isEmpty() && TypeRules.of(type).isResident()) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT, "workerId is required for type " + type.taskType());
    }
    jobs.setAside();
    List<Entry> same =
        tasks.values().stream()
            .filter(entry -> entry.row.status() == TaskStatus.EXECUTING)
            .filter(entry -> request.holdId() != null && request.holdId().equals(entry.holdId))
            .filter(entry -> entry.row.workerId().equals(workerOf(request)))
            .filter(entry -> typeOf(entry) == type)
            .sorted(BY_DUE_TIME)
            .toList();
    if (!same.isEmpty()) {
      return same.stream().map(this::toTask).toList();
    }
    if (Integer.valueOf(1).equals(type.paused())
        || isTooOld(request)
        || pauses.hasWorker(request.workerId())) {
      return List.of();
    }
    int limit =
        orElse(request.limit(), 0) == 0 ? orElse(type.scheduleLimit(), 100) : request.limit();
    int room = Math.min(limit, freeWithinMaxExecuting(type));
    List<Entry> due =
        tasks.values().stream()
            .filter(entry -> entry.row.status() == TaskStatus.WAITING)
            .filter(entry -> entry.row.orderTime() + patienceMs(request, entry.row) <= millis())
            .filter(entry -> typeOf(entry) == type)
            .filter(entry -> entry.mayBeHeldBy(workerOf(request)))
            .filter(
                entry ->
                    request.stages() == null
                        || request.stages().isEmpty()
                        || request.stages().contains(entry.row.stage()))
            .filter(entry -> !pauses.hasStage(entry.created.taskType(), entry.row.stage()))
            .sorted(
                Comparator.comparingLong((Entry entry) -> patienceMs(request, entry.row))
                    .thenComparing(BY_DUE_TIME))
            .limit(room)
            .toList();
    String traceId = UUID.randomUUID().toString();
    due.forEach(entry -> take(entry, request, traceId));
    return due.stream().map(this::toTask).toList();
  }

  /** How many more tasks of the type may execute. */
  private int freeWithinMaxExecuting(TaskTypeSettings type) {
    int maxExecuting = orElse(type.maxExecuting(), 0);
    if (maxExecuting == 0) {
      return Integer.MAX_VALUE;
    }
    long executing =
        tasks.values().stream()
            .filter(entry -> entry.row.status() == TaskStatus.EXECUTING)
            .filter(entry -> typeOf(entry) == type)
            .count();
    return (int) Math.max(0, maxExecuting - executing);
  }

  private boolean isTooOld(HoldRequest request) {
    int lowest = orElse(settingsOf(request.taskType()).minWorkerVersion(), 0);
    return orElse(request.workerVersion(), 0) < lowest;
  }

  /** How long the task must have been due for this hold to claim it. */
  private static long patienceMs(HoldRequest request, TaskRow row) {
    boolean preferred = request.prefer() != null && request.prefer().contains(row.stage());
    return preferred ? 0 : orElse(request.othersAfterMs(), 0);
  }

  private void take(Entry entry, HoldRequest request, String traceId) {
    String worker = workerOf(request);
    long lease = Leases.first(worker, rulesOf(entry)).toMillis();
    entry.row = entry.row.held(worker, traceId, millis(), millis() + lease);
    tell(EventKind.HELD, entry, null);
    entry.holdId = request.holdId();
  }

  private static String workerOf(HoldRequest request) {
    return Objects.requireNonNullElse(request.workerId(), "");
  }

  private TaskTypeSettings typeOf(Entry entry) {
    return types.get(entry.created.taskType());
  }

  private TypeRules rulesOf(Entry entry) {
    return TypeRules.of(typeOf(entry));
  }

  private static <T> T orElse(T value, T otherwise) {
    return value == null ? otherwise : value;
  }

  /** Does what the clock asks for. */
  void sweep() {
    pauses.endDue();
    endLeases();
    jobs.lookAtTeams();
    schedules.makeFires();
  }

  /** Sets or takes away the flag of a paused type. */
  void setPaused(String taskType, boolean paused) {
    types.computeIfPresent(taskType, (name, before) -> before.withPaused(paused ? 1 : 0));
  }

  private void endLeases() {
    List<Entry> ended =
        tasks.values().stream()
            .filter(entry -> entry.row.status() == TaskStatus.EXECUTING)
            .filter(entry -> entry.row.leaseEnd() <= millis())
            .toList();
    for (Entry entry : ended) {
      apply(entry, HoldEnd.expired(rowNow(entry), rulesOf(entry)));
    }
    ended.forEach(this::tellOfEnd);
  }

  private void apply(Entry entry, TaskTransition transition) {
    entry.row = transition.after();
    tell(transition.kind(), entry, transition.errMsg());
  }

  private void tell(EventKind kind, Entry entry, String errMsg) {
    TaskTypeSettings type = typeOf(entry);
    events.tell(type == null ? null : type.events(), kind, entry.row, errMsg);
  }

  /** The row as it would be read from a table now. */
  private TaskRow rowNow(Entry entry) {
    return entry.row.copy().now(millis()).row();
  }

  private LeaseState renew(String workerId, HeldTask task) {
    Entry entry = tasks.get(task.taskId());
    if (entry == null) {
      return Leases.told(task, false, null, 0);
    }
    entry.row = Leases.renewed(entry.row, task, workerId, rulesOf(entry), millis());
    TaskRow row = entry.row;
    boolean isHolders = row.leaseEpoch() == task.leaseEpoch() && row.workerId().equals(workerId);
    return Leases.told(task, isHolders, row.status(), row.leaseEnd() - millis());
  }

  private ReportResult settle(Report report) {
    if (refusal.test(report)) {
      return ReportResult.refused(report.taskId(), refusalCode, "refused by the test");
    }
    try {
      check(report);
    } catch (FlowException e) {
      return ReportResult.refused(report.taskId(), e.errorCode(), e.getMessage());
    }
    Entry entry = tasks.get(report.taskId());
    if (entry == null) {
      return ReportResult.refused(report.taskId(), ErrorCode.NO_SUCH_TASK, "no such task");
    }
    ReportResult verdict = HoldFence.verdict(entry.row, report);
    String hold = report.taskId() + "/" + report.leaseEpoch();
    if (verdict.outcome() != ReportResult.Verdict.ACCEPTED) {
      boolean isRepeat = verdict.stands() && !createsOf(report).isEmpty();
      return isRepeat ? verdict.withCreated(createdByReports.get(hold)) : verdict;
    }
    List<String> created = null;
    try {
      checkSealing(typeOf(entry).taskType(), report.taskContext(), "taskContext");
      checkSealing(typeOf(entry).taskType(), report.result(), "result");
    } catch (FlowException e) {
      return ReportResult.refused(report.taskId(), e.errorCode(), e.getMessage());
    }
    if (!createsOf(report).isEmpty()) {
      List<NewTask> bodies = new ArrayList<>();
      try {
        bodies.addAll(bodiesOf(createsOf(report), i -> "creates[" + i + "]"));
        created =
            createAll(bodies, null, traceParentOf(report, entry)).stream()
                .map(CreateResult::taskId)
                .toList();
      } catch (KeyConflictException e) {
        return ReportResult.refused(
            report.taskId(),
            e.errorCode(),
            "creates[" + bodies.indexOf(e.body) + "].idempotencyKey: " + e.getMessage());
      } catch (FlowException e) {
        return ReportResult.refused(report.taskId(), e.errorCode(), e.getMessage());
      }
      if (report.reportId() != null) {
        createdByReports.put(hold, created);
      }
    }
    apply(entry, HoldEnd.reported(rowNow(entry), withoutSecrets(report), rulesOf(entry)));
    if (report.outcome() == Outcome.NEXT_STAGE
        && report.workerIds() != null
        && !entry.row.isCopy()) {
      entry.workers = Set.copyOf(report.workerIds());
    }
    accepted.add(report);
    tellOfEnd(entry);
    return verdict.withCreated(created);
  }

  /** Refuses what the fields of a report may not hold; of an outcome, those that belong to it. */
  private void check(Report report) {
    SentFields in = new SentFields().withAll(report);
    if (report.outcome() == Outcome.NEXT_STAGE) {
      TaskFields.taskStage(in);
      TaskFields.taskContext(in);
      TaskFields.priority(in);
      in.names("workerIds").max(Lane.WORKERS, TaskLimits.WORKER_ID);
    } else if (report.outcome() == Outcome.SUCCESS) {
      in.text("result").maxBytes(TaskLimits.CONTEXT_BYTES);
    }
    in.objects("creates", report.creates(), 0, Report.MOST_CREATES)
        .forEach(task -> SentTask.check(task, millis()));
    in.refuseIfBad();
  }

  private static Report withoutSecrets(Report report) {
    return report.withErrMsg(Secrets.masked(report.errMsg()));
  }

  private static List<NewTask> createsOf(Report report) {
    return orElse(report.creates(), List.of());
  }

  /** Tells the job or the schedule that counts how the task ends, if it has ended. */
  private void tellOfEnd(Entry entry) {
    TaskRow row = entry.row;
    if (!row.status().isFinal()) {
      return;
    }
    String taskId = row.id().toString();
    if (row.place() != null) {
      jobs.ended("" + row.place().jobId(), taskId, row.status(), row.result());
    }
    if (row.fire() != null) {
      boolean failed = row.status() == TaskStatus.FAILED;
      TriggeredRun run = new TriggeredRun(taskId, null);
      runEnded(row.fire(), run, row.status(), failed ? "task " + taskId + " failed" : null);
    }
  }

  /**
   * Records at a fire how its run ended.
   *
   * @param status {@code null} if the run lives again
   * @param error why it failed; {@code null} if it did not
   */
  void runEnded(FireId fire, TriggeredRun run, TaskStatus status, String error) {
    schedules.ended(fire, run, status, error);
  }

  private Task toTask(Entry entry) {
    return rowNow(entry).toTask(rulesOf(entry));
  }
}
