package io.asyncflow.flowsvr.model;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.model.Command.AddTable;
import io.asyncflow.flowsvr.model.Command.Beat;
import io.asyncflow.flowsvr.model.Command.Cancel;
import io.asyncflow.flowsvr.model.Command.Create;
import io.asyncflow.flowsvr.model.Command.CreateBatch;
import io.asyncflow.flowsvr.model.Command.ForceStatus;
import io.asyncflow.flowsvr.model.Command.GetTask;
import io.asyncflow.flowsvr.model.Command.Held;
import io.asyncflow.flowsvr.model.Command.Hold;
import io.asyncflow.flowsvr.model.Command.ListTasks;
import io.asyncflow.flowsvr.model.Command.ListUserTasks;
import io.asyncflow.flowsvr.model.Command.OldUpdate;
import io.asyncflow.flowsvr.model.Command.PassTime;
import io.asyncflow.flowsvr.model.Command.Pause;
import io.asyncflow.flowsvr.model.Command.Report;
import io.asyncflow.flowsvr.model.Command.ReportBatch;
import io.asyncflow.flowsvr.model.Command.Restart;
import io.asyncflow.flowsvr.model.Command.Resume;
import io.asyncflow.flowsvr.model.Command.Retry;
import io.asyncflow.flowsvr.model.Command.SaveType;
import io.asyncflow.flowsvr.model.Command.SetWorkers;
import io.asyncflow.flowsvr.model.Command.Sweep;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Makes random sequences that mostly make sense: it carries them out on a model while it makes
 * them, and prefers what lies at an edge (a lease that has just run out, an epoch that is one too
 * old, a task that is due this very millisecond, a request sent again).
 *
 * <p>The same seed makes the same sequence.
 */
final class CommandGenerator {

  private static final List<String> TYPES = List.of("a", "b");
  private static final List<String> STAGES = List.of("split", "speak", "merge");
  private static final List<String> WORKERS = List.of("w1", "w2");
  private static final List<String> USERS = List.of("ann", "bob");
  private static final int MAX_BATCH = 4;

  private final Random random;
  private final ModelDriver model;
  private final List<Command> sequence = new ArrayList<>();
  private final List<Choice> choices = new ArrayList<>();
  private final List<Create> keyedCreates = new ArrayList<>();
  private final List<Hold> namedHolds = new ArrayList<>();
  private final List<SentReport> namedReports = new ArrayList<>();
  private int counter;

  private record Choice(int weight, Supplier<Command> command) {}

  /**
   * @param epoch that it named
   */
  private record SentReport(Report report, int epoch) {}

  /** All that a server can be told. */
  CommandGenerator(long seed) {
    this(new Random(seed), new ModelDriver());
    choice(7, this::oldUpdate);
    choice(1, this::forceStatus);
    choice(10, Sweep::new);
    choice(1, this::addTable);
  }

  /** What a client of today can say to a server that sweeps by itself. */
  static CommandGenerator forClients(long seed) {
    return new CommandGenerator(new Random(seed), ModelDriver.sweepingAtOnce());
  }

  private CommandGenerator(Random random, ModelDriver model) {
    this.random = random;
    this.model = model;
    choice(14, this::create);
    choice(3, this::createBatch);
    choice(3, this::createAgain);
    choice(20, this::hold);
    choice(5, this::holdAgain);
    choice(9, this::beat);
    choice(22, this::report);
    choice(5, this::reportBatch);
    choice(5, this::reportAgain);
    choice(2, this::cancel);
    choice(2, this::retry);
    choice(3, this::setWorkers);
    choice(2, this::restart);
    choice(2, this::pause);
    choice(3, this::resume);
    choice(16, this::passTime);
    choice(3, this::changeType);
    choice(1, this::getTask);
    choice(1, this::listTasks);
    choice(2, this::listUserTasks);
  }

  private void choice(int weight, Supplier<Command> command) {
    choices.add(new Choice(weight, command));
  }

  List<Command> sequence(int length) {
    TYPES.forEach(type -> add(newType(type)));
    while (model.tasks().isEmpty()) {
      add(create());
    }
    while (sequence.size() < length) {
      add(next());
    }
    return List.copyOf(sequence);
  }

  private void add(Command command) {
    command.sendTo(model);
    sequence.add(command);
  }

  private Command next() {
    int weight = random.nextInt(choices.stream().mapToInt(Choice::weight).sum());
    for (Choice choice : choices) {
      weight -= choice.weight();
      if (weight < 0) {
        return choice.command().get();
      }
    }
    throw new IllegalStateException();
  }

  // ---- types

  private SaveType newType(String type) {
    return new SaveType(
        settings(
            type,
            oneOf(1, 2, 5, 100),
            oneOf(2, 10, 30, 60),
            oneOf(0, 1, 2, 3),
            oneOf(-7, 0, 3, 5, 10),
            oneOf(null, null, 3, 30),
            oneOf(null, 0, 1, 2),
            oneOf(1, 10, 30),
            oneOf(1, 2, 3, 10),
            0));
  }

  private SaveType changeType() {
    return new SaveType(
        settings(
            oneOf(TYPES),
            oneOf(null, 1, 2, 100),
            null,
            oneOf(null, 0, 1, 3),
            oneOf(null, -2, 0, 4, 9),
            oneOf(null, 5, 20),
            oneOf(null, null, 0, 2),
            oneOf(null, 2, 20),
            oneOf(null, 1, 4),
            oneOf(0, 0, 0, 1)));
  }

  private static TaskTypeSettings settings(
      String type,
      Integer scheduleLimit,
      Integer maxProcessingTime,
      Integer maxRetryNum,
      Integer retryInterval,
      Integer maxRetryInterval,
      Integer maxUnexpectedRetries,
      Integer leaseSeconds,
      Integer maxDelivery,
      Integer paused) {
    TaskTypeSettings settings =
        TaskTypeSettings.named(type)
            .withScheduleLimit(scheduleLimit)
            .withMaxProcessingTime(maxProcessingTime)
            .withMaxRetryNum(maxRetryNum)
            .withRetryInterval(retryInterval)
            .withMaxRetryInterval(maxRetryInterval)
            .withLeaseSeconds(leaseSeconds)
            .withMaxDelivery(maxDelivery)
            .withPaused(paused);
    return RecordCopy.with(settings, "maxUnexpectedRetries", maxUnexpectedRetries);
  }

  private AddTable addTable() {
    return new AddTable(oneOf(TYPES));
  }

  // ---- tasks

  private Create create() {
    Create create = new Create(newLabel("t"), newTask(chance(25) ? newLabel("k") : null));
    if (create.task().idempotencyKey() != null) {
      keyedCreates.add(create);
    }
    return create;
  }

  private NewTask newTask(String key) {
    boolean delayed = chance(20);
    boolean atTime = !delayed && chance(15);
    return new NewTask(
        oneOf(USERS),
        anyType(),
        oneOf(STAGES),
        oneOf(null, null, null, "sent by a client"),
        newLabel("c"),
        oneOf(null, 0, 5, 10, 60),
        delayed ? oneOf(0L, 1L, 4_000L, 20_000L) : null,
        atTime ? model.now() + oneOf(-10_000L, 0L, 4_000L) : null,
        oneOf(null, null, 0, 1, 2),
        oneOf(null, null, null, 1, 4, 100),
        oneOf(null, null, null, 0, 1),
        key,
        key == null ? null : oneOf(null, null, null, OnDuplicate.KEEP, OnDuplicate.REPLACE),
        key == null ? null : oneOf(null, null, 1_000L, 20_000L),
        key == null ? null : oneOf(null, null, 1),
        chance(15) ? someWorkers() : null,
        null);
  }

  private CreateBatch createBatch() {
    List<Create> batch = new ArrayList<>();
    for (int i = random.nextInt(MAX_BATCH); i >= 0; i--) {
      batch.add(chance(20) ? createAgain() : create());
    }
    return new CreateBatch(batch);
  }

  /** With the key of an older one: the same again, or another body, with any options. */
  private Create createAgain() {
    if (keyedCreates.isEmpty()) {
      return create();
    }
    NewTask before = oneOf(keyedCreates).task();
    NewTask again =
        chance(50) ? before : newTask(before.idempotencyKey()).withTaskType(before.taskType());
    return new Create(
        newLabel("t"), chance(50) ? again : again.withOnDuplicate(oneOf(OnDuplicate.values())));
  }

  private GetTask getTask() {
    return new GetTask(anyTask());
  }

  private ListTasks listTasks() {
    return new ListTasks(anyType(), statuses(), oneOf(1, 3, 100));
  }

  private ListUserTasks listUserTasks() {
    return new ListUserTasks(oneOf(USERS), statuses(), oneOf(1, 3, 100));
  }

  private Integer statuses() {
    return chance(30) ? null : 1 + random.nextInt(31);
  }

  // ---- holds

  private Hold hold() {
    String worker = chance(75) ? oneOf(WORKERS) : null;
    Hold hold =
        new Hold(
            anyType(),
            worker,
            worker != null && chance(60) ? newLabel("hold") : null,
            chance(30) ? someStages() : null,
            oneOf(null, 0, 1, 1, 2, 3));
    if (hold.holdId() != null) {
      namedHolds.add(hold);
    }
    return hold;
  }

  /** One of them or both; never in another order, since a set has none. */
  private List<String> someWorkers() {
    return oneOf(List.of("w1"), List.of("w2"), WORKERS);
  }

  private List<String> someStages() {
    return STAGES.stream().filter(stage -> chance(50)).toList();
  }

  /** Mostly the same again, as after a lost answer. */
  private Hold holdAgain() {
    if (namedHolds.isEmpty()) {
      return hold();
    }
    Hold before = lately(namedHolds);
    return new Hold(
        chance(95) ? before.type() : oneOf(TYPES),
        chance(90) ? before.worker() : oneOf(WORKERS),
        before.holdId(),
        chance(90) ? before.stages() : null,
        chance(90) ? before.limit() : Integer.valueOf(1));
  }

  private Beat beat() {
    String worker = oneOf(WORKERS);
    Set<String> beaten = new LinkedHashSet<>(labels(task -> isWorkOf(worker, task)));
    beaten.removeIf(task -> chance(20));
    if (beaten.isEmpty() || chance(20)) {
      beaten.add(anyTask());
    }
    return new Beat(
        worker,
        beaten.stream()
            .map(task -> new Held(task, epochsBehind(), oneOf(null, 0, 50, 100)))
            .toList());
  }

  private static boolean isWorkOf(String worker, TaskView task) {
    boolean mayStillBeRunning = task.leaseMs() != null || task.status() == ModelTask.CANCELLED;
    return mayStillBeRunning && worker.equals(task.worker());
  }

  private int epochsBehind() {
    return chance(90) ? 0 : oneOf(-1, 1, 2);
  }

  // ---- the ends of holds

  private Report report() {
    TaskView task =
        anyOf(
            chance(70)
                ? t -> t.leaseMs() != null
                : chance(50) ? CommandGenerator::waitsAgain : t -> t.epoch() > 0);
    String holder = task.worker() == null ? "" : task.worker();
    String worker = chance(90) ? holder : oneOf(WORKERS);
    Report report = report(task.task(), worker, chance(60) ? newLabel("r") : null);
    if (report.reportId() != null) {
      namedReports.add(new SentReport(report, Command.epoch(task.epoch(), report.epochsBehind())));
    }
    return report;
  }

  /** By a sweep: a late report still counts. */
  private static boolean waitsAgain(TaskView task) {
    return task.status() == ModelTask.WAITING && task.deliveryCount() > 0;
  }

  private Report report(String task, String worker, String reportId) {
    Outcome outcome =
        oneOf(
            Outcome.NEXT_STAGE,
            Outcome.NEXT_STAGE,
            Outcome.SUCCESS,
            Outcome.RETRY,
            Outcome.RETRY,
            Outcome.RETRY,
            Outcome.FAIL,
            Outcome.SNOOZE,
            Outcome.RELEASE);
    boolean next = outcome == Outcome.NEXT_STAGE;
    boolean failed = outcome == Outcome.RETRY || outcome == Outcome.FAIL;
    Long delayMs =
        switch (outcome) {
          case SNOOZE -> oneOf(0L, 1L, 5_000L);
          case RETRY -> oneOf(null, null, null, 0L, 2_500L);
          default -> null;
        };
    return new Report(
        task,
        worker,
        epochsBehind(),
        outcome,
        reportId,
        next ? oneOf(STAGES) : null,
        next && chance(50) ? newLabel("c") : null,
        next ? oneOf(null, 0, 5, 20) : null,
        outcome == Outcome.SUCCESS ? newLabel("result") : null,
        failed ? newLabel("error") : null,
        delayMs,
        outcome == Outcome.RETRY ? oneOf(null, false, true, true) : null,
        outcome == Outcome.RELEASE ? oneOf(null, false, false, true) : null,
        next && chance(20) ? oneOf(List.<String>of(), someWorkers()) : null,
        next || outcome == Outcome.SUCCESS || outcome == Outcome.FAIL ? creates() : List.of());
  }

  private List<Create> creates() {
    List<Create> creates = new ArrayList<>();
    for (int i = chance(25) ? 1 + random.nextInt(2) : 0; i > 0; i--) {
      creates.add(chance(50) ? createAgain() : create());
    }
    return creates;
  }

  private ReportBatch reportBatch() {
    List<Report> batch = new ArrayList<>();
    for (int i = random.nextInt(MAX_BATCH); i >= 0; i--) {
      batch.add(chance(80) ? report() : reportAgain());
    }
    return new ReportBatch(batch);
  }

  /** The very same again, as after a lost answer; now and then its id for another epoch. */
  private Report reportAgain() {
    if (namedReports.isEmpty()) {
      return report();
    }
    SentReport sent = lately(namedReports);
    Report before = sent.report();
    int last = anyOf(task -> task.task().equals(before.task())).epoch();
    return new Report(
        before.task(),
        before.worker(),
        chance(90) ? last - sent.epoch() : before.epochsBehind(),
        before.outcome(),
        before.reportId(),
        before.stage(),
        before.context(),
        before.priority(),
        before.result(),
        before.errMsg(),
        before.delayMs(),
        before.unexpected(),
        before.begun(),
        before.workers(),
        before.creates().stream().map(c -> new Create(newLabel("t"), c.task())).toList());
  }

  private OldUpdate oldUpdate() {
    String task = chance(80) ? anyOf(t -> t.worker() == null).task() : anyTask();
    return new OldUpdate(
        task,
        oneOf(null, 1, 1, 2, 4, 8),
        chance(30) ? oneOf(STAGES) : null,
        chance(30) ? newLabel("c") : null,
        chance(30) ? oneOf(5, 60) : null,
        chance(20) ? Long.valueOf(model.now() + oneOf(-5_000L, 0L, 5_000L)) : null,
        chance(20) ? oneOf(1, 2, 3) : null,
        chance(10) ? oneOf(1, 5) : null,
        chance(10) ? oneOf(2, 50) : null,
        chance(20) ? newLabel("log") : null,
        chance(5) ? oneOf(USERS) : null);
  }

  // ---- operators

  private Cancel cancel() {
    return new Cancel(anyTask());
  }

  private Pause pause() {
    return new Pause(anyTask(), chance(50));
  }

  private Resume resume() {
    return new Resume(chance(80) ? anyOf(t -> t.status() == ModelTask.PAUSED).task() : anyTask());
  }

  private Retry retry() {
    return new Retry(anyOf(t -> t.status() >= ModelTask.FAILED).task());
  }

  private SetWorkers setWorkers() {
    String task = chance(70) ? anyOf(t -> t.leaseMs() != null).task() : anyTask();
    return new SetWorkers(task, chance(30) ? List.of() : someWorkers());
  }

  private Restart restart() {
    return new Restart(chance(80) ? anyOf(t -> t.leaseMs() != null).task() : anyTask());
  }

  private ForceStatus forceStatus() {
    return new ForceStatus(anyTask(), oneOf(1, 4, 8, 16));
  }

  // ---- time

  private PassTime passTime() {
    long ms =
        switch (random.nextInt(3)) {
          case 0 -> untilALeaseEnds();
          case 1 -> untilATaskIsDue();
          default -> aWhile();
        };
    return new PassTime(Math.max(1, ms));
  }

  private long untilALeaseEnds() {
    TaskView task = anyOf(t -> t.leaseMs() != null);
    return task.leaseMs() == null ? aWhile() : task.leaseMs() + oneOf(-500, -1, 0, 1, 700);
  }

  private long untilATaskIsDue() {
    TaskView task = anyOf(t -> t.status() == ModelTask.WAITING && t.orderTime() > model.now());
    return task.orderTime() - model.now() + oneOf(-1, 0, 1);
  }

  private long aWhile() {
    return oneOf(1, 250, 1_000, 5_000, 15_000);
  }

  // ---- choosing

  private String newLabel(String prefix) {
    return prefix + ++counter;
  }

  private String anyType() {
    return chance(2) ? "unknown" : oneOf(TYPES);
  }

  private String anyTask() {
    return chance(2) ? "nobody" : anyOf(task -> true).task();
  }

  /** Any such task, or any at all if there is none. */
  private TaskView anyOf(Predicate<TaskView> which) {
    List<TaskView> such = model.tasks().stream().filter(which).toList();
    return oneOf(such.isEmpty() ? model.tasks() : such);
  }

  private List<String> labels(Predicate<TaskView> which) {
    return model.tasks().stream().filter(which).map(TaskView::task).toList();
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  @SafeVarargs
  private final <T> T oneOf(T... values) {
    return values[random.nextInt(values.length)];
  }

  private <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** One of the last few. */
  private <T> T lately(List<T> values) {
    int few = Math.min(5, values.size());
    return values.get(values.size() - 1 - random.nextInt(few));
  }
}
