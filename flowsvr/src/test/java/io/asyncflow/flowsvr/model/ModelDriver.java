package io.asyncflow.flowsvr.model;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.RecordCopy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The contract as a single-threaded program without a database, written to be compared with wire.md
 * (and docs/api.md where that says more), sentence by sentence, and with nothing else.
 */
class ModelDriver implements Driver {

  private static final long SEVEN_DAYS = 7L * 24 * 3_600 * 1_000;

  private final Function<ModelTask.Birth, ModelTask> taskMaker;
  private final Map<String, ModelType> types = new HashMap<>();
  private final Map<String, Integer> tables = new HashMap<>();
  private final Map<String, ModelTask> tasks = new LinkedHashMap<>();
  private final Map<IdempotencyKey, KeyUse> keys = new HashMap<>();
  private final Map<HoldOf, List<String>> createdByReports = new HashMap<>();
  private final Map<HoldKey, List<Grant>> holds = new HashMap<>();
  private boolean sweepsAtOnce;
  private long now;
  private int traces;

  private record IdempotencyKey(String type, String key) {}

  private record KeyUse(String label, NewTask body, long until) {}

  private record HoldOf(String task, int epoch) {}

  private record HoldKey(String type, String worker, String holdId) {}

  private record Grant(ModelTask task, int epoch) {
    boolean isStillHeld() {
      return task.isHeldUnder(epoch);
    }

    boolean isUnderLiveLeaseAt(long now) {
      return isStillHeld() && task.leaseLivesAt(now);
    }
  }

  ModelDriver() {
    this(ModelTask::new);
  }

  ModelDriver(Function<ModelTask.Birth, ModelTask> taskMaker) {
    this.taskMaker = taskMaker;
  }

  /** One in which no lease stays that has run out. */
  static ModelDriver sweepingAtOnce() {
    ModelDriver model = new ModelDriver();
    model.sweepsAtOnce = true;
    return model;
  }

  /** Every task there is, by age. */
  List<TaskView> tasks() {
    return seen(tasks.values().stream());
  }

  long now() {
    return now;
  }

  // ---- types and tasks

  @Override
  public Answer saveType(Command.SaveType command) {
    types
        .computeIfAbsent(command.settings().taskType(), name -> new ModelType())
        .save(command.settings());
    return new Answer.Done();
  }

  @Override
  public Answer addTable(Command.AddTable command) {
    tables.merge(command.type(), 2, (last, two) -> last + 1);
    return new Answer.Done();
  }

  @Override
  public Answer create(Command.Create command) {
    return createAll(List.of(command), null);
  }

  @Override
  public Answer createBatch(Command.CreateBatch command) {
    return createAll(command.tasks(), null);
  }

  /**
   * All or none, one after another.
   *
   * @param reported the task whose report creates them, which still counts as executing; {@code
   *     null} for none
   */
  private Answer createAll(List<Command.Create> batch, String reported) {
    if (!batch.stream().allMatch(create -> types.containsKey(create.task().taskType()))) {
      return Answer.refused(ErrorCode.NO_SUCH_TASK_TYPE);
    }
    Map<IdempotencyKey, KeyUse> used = new HashMap<>(keys);
    Map<String, NewTask> bodies = new LinkedHashMap<>();
    List<String> labels = new ArrayList<>();
    List<String> outcomes = new ArrayList<>();
    for (Command.Create create : batch) {
      NewTask body = create.task();
      KeyUse use = body.idempotencyKey() == null ? null : used.get(keyOf(body));
      boolean isFree = use == null || use.until() < now;
      boolean waits = !isFree && bodies.containsKey(use.label());
      String outcome =
          isFree
              ? "CREATED"
              : ofDuplicate(body, use, waits ? ModelTask.WAITING : statusOf(use.label(), reported));
      if (outcome.equals("CONFLICT")) {
        return Answer.refused(ErrorCode.IDEMPOTENCY_CONFLICT);
      }
      String label = outcome.equals("CREATED") ? create.label() : use.label();
      if (!outcome.equals("EXISTING") && !outcome.equals("KEPT")) {
        bodies.put(label, body);
        if (body.idempotencyKey() != null) {
          long keyMs = body.keyMs() == null ? SEVEN_DAYS : body.keyMs();
          used.put(keyOf(body), new KeyUse(label, body, now + keyMs));
        }
      }
      labels.add(label);
      outcomes.add(outcome);
    }
    keys.putAll(used);
    bodies.forEach(this::createOrRenew);
    List<String> created = new ArrayList<>();
    for (int i = 0; i < labels.size(); i++) {
      created.add(withTable(labels.get(i)) + " " + outcomes.get(i));
    }
    return new Answer.Created(created);
  }

  private int statusOf(String label, String reported) {
    return label.equals(reported) ? ModelTask.EXECUTING : tasks.get(label).status();
  }

  private String withTable(String label) {
    return label + "@" + tasks.get(label).table();
  }

  /** What a create does if a task stands under its key. */
  private static String ofDuplicate(NewTask body, KeyUse use, int status) {
    boolean isDone = ModelTask.isFinal(status);
    if (body.keyUntilDone() != null && isDone) {
      return "CREATED";
    }
    OnDuplicate asked = body.onDuplicate() == null ? OnDuplicate.SAME : body.onDuplicate();
    return switch (asked) {
      case SAME -> isSameBody(body, use.body()) ? "EXISTING" : "CONFLICT";
      case KEEP -> "KEPT";
      case REPLACE -> status == ModelTask.WAITING ? "REPLACED" : "KEPT";
      case RERUN -> isDone ? "RERUN" : "KEPT";
    };
  }

  private static boolean isSameBody(NewTask a, NewTask b) {
    return withoutOptions(a).equals(withoutOptions(b));
  }

  private static NewTask withoutOptions(NewTask body) {
    NewTask kept = body;
    for (String option : List.of("onDuplicate", "keyMs", "keyUntilDone", "traceParent")) {
      kept = RecordCopy.with(kept, option, null);
    }
    return kept.withWorkerIds(
        body.workerIds() == null ? null : body.workerIds().stream().sorted().toList());
  }

  private void createOrRenew(String label, NewTask body) {
    ModelTask standing = tasks.get(label);
    if (standing == null) {
      tasks.put(label, newTask(label, body));
    } else {
      standing.renew(body, now);
    }
  }

  private ModelTask newTask(String label, NewTask body) {
    String type = body.taskType();
    return taskMaker.apply(
        new ModelTask.Birth(
            label, tasks.size(), tables.getOrDefault(type, 1), types.get(type), body, now));
  }

  private static IdempotencyKey keyOf(NewTask body) {
    return new IdempotencyKey(body.taskType(), body.idempotencyKey());
  }

  @Override
  public Answer getTask(Command.GetTask command) {
    return onTask(command.task(), task -> new Answer.Found(task.seenAt(now), task.workers()));
  }

  private Answer onTask(String label, Function<ModelTask, Answer> act) {
    ModelTask task = tasks.get(label);
    return task == null ? Answer.refused(ErrorCode.NO_SUCH_TASK) : act.apply(task);
  }

  @Override
  public Answer listTasks(Command.ListTasks command) {
    ModelType type = types.get(command.type());
    return type == null
        ? Answer.refused(ErrorCode.NO_SUCH_TASK_TYPE)
        : newestFirst(task -> task.type() == type, command.statuses());
  }

  @Override
  public Answer listUserTasks(Command.ListUserTasks command) {
    return newestFirst(task -> task.user().equals(command.user()), command.statuses());
  }

  private Answer newestFirst(Predicate<ModelTask> which, Integer statuses) {
    return new Answer.Listed(
        seen(
            tasks.values().stream()
                .filter(which)
                .filter(task -> statuses == null || (statuses & task.status()) != 0)
                .sorted(Comparator.comparing(ModelTask::number).reversed())));
  }

  // ---- holds and their ends

  @Override
  public Answer hold(Command.Hold command) {
    ModelType type = types.get(command.type());
    if (type == null) {
      return Answer.refused(ErrorCode.NO_SUCH_TASK_TYPE);
    }
    HoldKey key = new HoldKey(command.type(), command.worker(), command.holdId());
    List<Grant> before = holds.getOrDefault(key, List.of());
    if (before.stream().anyMatch(grant -> grant.isUnderLiveLeaseAt(now))) {
      // in due order as it is now: setWorkers moves an executing task between lanes
      return held(
          before.stream().filter(Grant::isStillHeld).map(Grant::task).sorted(soonestFirst()));
    }
    holds.remove(key); // from here on it is a new hold
    List<ModelTask> due = type.paused ? List.of() : firstDue(command, type);
    if (!due.isEmpty()) {
      String trace = "h" + ++traces;
      due.forEach(task -> task.hold(command.worker(), trace, now));
    }
    if (!due.isEmpty() && command.holdId() != null) {
      holds.put(key, due.stream().map(task -> new Grant(task, task.epoch())).toList());
    }
    return held(due.stream());
  }

  private List<ModelTask> firstDue(Command.Hold command, ModelType type) {
    List<String> stages = command.stages();
    int limit = command.limit() == null ? 0 : command.limit();
    return tasks.values().stream()
        .filter(task -> task.type() == type && task.isDueAt(now))
        .filter(task -> task.mayBeHeldBy(command.worker()))
        .filter(task -> stages == null || stages.isEmpty() || stages.contains(task.stage()))
        .sorted(soonestFirst())
        .limit(limit == 0 ? type.scheduleLimit : limit)
        .toList();
  }

  Comparator<ModelTask> soonestFirst() {
    return Comparator.comparing(ModelTask::orderTime)
        .thenComparing(ModelTask::isForAll)
        .thenComparing(ModelTask::number);
  }

  private Answer held(Stream<ModelTask> which) {
    return new Answer.Held(seen(which));
  }

  @Override
  public Answer beat(Command.Beat command) {
    return new Answer.Beaten(command.tasks().stream().map(t -> beat(command.worker(), t)).toList());
  }

  private Answer.Lease beat(String worker, Command.Held held) {
    ModelTask task = tasks.get(held.task());
    return task == null
        ? ModelTask.lost(held.task(), Command.epoch(0, held.epochsBehind()))
        : task.beat(worker, held, now);
  }

  @Override
  public Answer report(Command.Report command) {
    String outcome = judge(command);
    return Character.isDigit(outcome.charAt(0))
        ? Answer.refused(Integer.parseInt(outcome))
        : new Answer.Reported(List.of(outcome));
  }

  @Override
  public Answer reportBatch(Command.ReportBatch command) {
    return new Answer.Reported(command.reports().stream().map(this::judge).toList());
  }

  private String judge(Command.Report report) {
    ModelTask task = tasks.get(report.task());
    if (task == null) {
      return String.valueOf(ErrorCode.NO_SUCH_TASK.code());
    }
    HoldOf hold = new HoldOf(report.task(), task.namedBy(report));
    String verdict = task.verdict(report);
    if (verdict.equals("ACCEPTED") && !report.creates().isEmpty()) {
      Answer answer = createAll(report.creates(), report.task());
      if (answer instanceof Answer.Refused refused) {
        return String.valueOf(refused.code());
      }
      List<String> made = ((Answer.Created) answer).tasks();
      createdByReports.put(hold, made.stream().map(ModelDriver::withoutOutcome).toList());
    }
    task.report(report, now);
    boolean answersThem = !report.creates().isEmpty() && !Character.isDigit(verdict.charAt(0));
    List<String> created = answersThem ? createdByReports.get(hold) : null;
    return created == null ? verdict : verdict + " " + created;
  }

  private static String withoutOutcome(String created) {
    return created.substring(0, created.indexOf(' '));
  }

  @Override
  public Answer oldUpdate(Command.OldUpdate command) {
    return onTask(command.task(), task -> task.update(command, now));
  }

  // ---- operators, governance and time

  @Override
  public Answer cancel(Command.Cancel command) {
    return onTask(command.task(), ModelTask::cancel);
  }

  @Override
  public Answer pause(Command.Pause command) {
    return onTask(command.task(), task -> task.pause(command.stop(), now));
  }

  @Override
  public Answer resume(Command.Resume command) {
    return onTask(command.task(), ModelTask::resume);
  }

  @Override
  public Answer retry(Command.Retry command) {
    return onTask(command.task(), task -> task.retry(now));
  }

  @Override
  public Answer setWorkers(Command.SetWorkers command) {
    return onTask(command.task(), task -> task.setWorkers(command.workers(), now));
  }

  @Override
  public Answer restart(Command.Restart command) {
    return onTask(command.task(), task -> task.restart(now));
  }

  @Override
  public Answer forceStatus(Command.ForceStatus command) {
    return onTask(command.task(), task -> task.forceStatus(command.status(), now));
  }

  @Override
  public Answer sweep(Command.Sweep command) {
    tasks.values().stream()
        .filter(task -> task.leaseHasRunOutAt(now))
        .forEach(task -> task.endLease(now));
    return new Answer.Done();
  }

  @Override
  public Answer passTime(Command.PassTime command) {
    now += command.ms();
    return sweepsAtOnce ? sweep(new Command.Sweep()) : new Answer.Done();
  }

  private List<TaskView> seen(Stream<ModelTask> which) {
    return which.map(task -> task.seenAt(now)).toList();
  }
}
