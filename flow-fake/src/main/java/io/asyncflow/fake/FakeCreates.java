package io.asyncflow.fake;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TraceParent;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.DuplicateCreate;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Creates the tasks of a {@link FakeFlowServer}, with their keys, guarded by its lock. */
final class FakeCreates {

  private static final long DEFAULT_KEY_MS = Duration.ofDays(7).toMillis();

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
  private record KeyUse(FakeTask task, long expireTime) {}

  /** What stands under a key, while the tasks of a call are created one after another. */
  private record Standing(TaskStatus status, NewTask body) {
    static Standing of(FakeTask task, FakeTask reported) {
      return new Standing(task == reported ? TaskStatus.EXECUTING : task.status(), task.created);
    }
  }

  /** A key was used with another body. */
  static final class KeyConflictException extends FlowException {

    private static final long serialVersionUID = 1L;

    private final transient NewTask body;

    KeyConflictException(NewTask body) {
      super(
          ErrorCode.IDEMPOTENCY_CONFLICT,
          "the idempotency key " + body.idempotencyKey() + " was used with another body");
      this.body = body;
    }

    /** The task that was not created. */
    NewTask body() {
      return body;
    }
  }

  private final FakeFlowServer server;
  private final Map<Key, KeyUse> keyed = new HashMap<>();
  private Supplier<String> traceParents = () -> null;
  private long nextNumber = 1;

  FakeCreates(FakeFlowServer server) {
    this.server = server;
  }

  /** Takes the trace of each create of a client from a source, which returns null for none. */
  void takeTracesFrom(Supplier<String> source) {
    traceParents = source;
  }

  /** The trace of a create; {@code null} for none. */
  String traceParentOfCall() {
    return TraceParent.validOrNull(traceParents.get());
  }

  /** A number for a task or a schedule. */
  long newNumber() {
    return nextNumber++;
  }

  CreateResult create(SentFields in) {
    List<NewTask> bodies = List.of(TaskFields.task(in.object("taskData")));
    in.refuseIfBad();
    requireTypes(bodies, i -> "taskData");
    return createAll(bodies, traceParentOfCall()).get(0);
  }

  List<CreateResult> createAll(SentFields in) {
    List<NewTask> bodies =
        in.objects("taskDataList", 1, TaskLimits.BATCH).stream().map(TaskFields::task).toList();
    TaskFields.refuseManySets(
        in, "taskDataList", bodies.stream().map(FakeCreates::workersOf).map(Set::copyOf));
    in.refuseIfBad();
    requireTypes(bodies, i -> "taskDataList[" + i + "]");
    return createAll(bodies, traceParentOfCall());
  }

  private static List<String> workersOf(NewTask body) {
    return Objects.requireNonNullElse(body.workerIds(), List.of());
  }

  /**
   * Refuses tasks of unknown types, and texts that their types do not take.
   *
   * @param path the field that holds a task, by its place
   */
  private void requireTypes(List<NewTask> bodies, IntFunction<String> path) {
    for (int i = 0; i < bodies.size(); i++) {
      NewTask body = bodies.get(i);
      server.types.checkSealing(
          body.taskType(), body.taskContext(), path.apply(i) + ".taskContext");
    }
  }

  /** Inserts a task of a job. */
  String insert(NewTask task, JobPlace place, String traceParent) {
    return newTask(task, place, null, traceParent).id();
  }

  /** Inserts the task of a fire; the same key gives the same task. */
  String insert(NewTask task, FireId fire) {
    return createAll(List.of(task), fire, null, null).get(0).taskId();
  }

  /**
   * Creates all tasks of a client or, if one is refused, none.
   *
   * @param traceParent of those that name none; {@code null} for none
   */
  List<CreateResult> createAll(List<NewTask> bodies, String traceParent) {
    return createAll(bodies, null, traceParent, null);
  }

  /**
   * As above.
   *
   * @param fire that creates them; {@code null} for none
   * @param reported the task whose report creates them, which counts as executing; {@code null} for
   *     none
   */
  List<CreateResult> createAll(
      List<NewTask> bodies, FireId fire, String traceParent, FakeTask reported) {
    List<CreateOutcome> outcomes = outcomes(bodies, reported);
    List<CreateResult> results = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      NewTask body = bodies.get(i);
      FakeTask task =
          switch (outcomes.get(i)) {
            case CREATED -> newTask(body, null, fire, traceParent);
            case EXISTING, KEPT -> keyed.get(Key.of(body)).task();
            case REPLACED, RERUN -> renewed(keyed.get(Key.of(body)).task(), body, traceParent);
          };
      if (body.idempotencyKey() != null && isWritten(outcomes.get(i))) {
        long keyMs = Objects.requireNonNullElse(body.keyMs(), DEFAULT_KEY_MS);
        keyed.put(Key.of(body), new KeyUse(task, server.millis() + keyMs));
      }
      results.add(new CreateResult(task.id(), outcomes.get(i)));
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
  private List<CreateOutcome> outcomes(List<NewTask> bodies, FakeTask reported) {
    keyed.values().removeIf(use -> use.expireTime() < server.millis());
    Map<Key, Standing> standings = new HashMap<>();
    keyed.forEach((key, use) -> standings.put(key, Standing.of(use.task(), reported)));
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
            Objects.requireNonNullElse(body.onDuplicate(), OnDuplicate.SAME),
            Integer.valueOf(1).equals(body.keyUntilDone()),
            standing.status(),
            withoutOptions(body).equals(standing.body()))
        .orElseThrow(() -> new KeyConflictException(body));
  }

  /** The options of a key are not part of the body. */
  private static NewTask withoutOptions(NewTask task) {
    NewTask body = task;
    for (String option : List.of("onDuplicate", "keyMs", "keyUntilDone", "traceParent")) {
      body = RecordCopy.with(body, option, null);
    }
    return task.workerIds() == null
        ? body
        : body.withWorkerIds(List.copyOf(new TreeSet<>(task.workerIds())));
  }

  private FakeTask renewed(FakeTask task, NewTask body, String traceParent) {
    boolean isWaiting = task.status() == TaskStatus.WAITING;
    task.takeBody(withoutOptions(body));
    task.row = task.row.renewed(newRow(task.row.id(), body, null, null, traceParent));
    server.tasks.tell(isWaiting ? EventKind.REPLACED : EventKind.REVIVED, task, null);
    server.tasks.tellOfRevival(task);
    server.notifyAll();
    return task;
  }

  private FakeTask newTask(NewTask body, JobPlace place, FireId fire, String traceParent) {
    TaskId id = new TaskId(newNumber(), new TaskTable(new TaskType(body.taskType()), 1));
    FakeTask task = new FakeTask(withoutOptions(body), newRow(id, body, place, fire, traceParent));
    server.tasks.add(task);
    server.tasks.tell(EventKind.CREATED, task, null);
    server.notifyAll();
    return task;
  }

  private TaskRow newRow(TaskId id, NewTask body, JobPlace place, FireId fire, String traceParent) {
    int priority = Objects.requireNonNullElse(body.priority(), 0);
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
        Objects.requireNonNullElse(body.scheduleLog(), ""),
        place,
        fire,
        Optional.ofNullable(body.traceParent()).orElse(traceParent),
        server.millis());
  }

  private long dueAt(NewTask body, int priority) {
    if (body.runAt() != null) {
      return body.runAt();
    }
    return server.millis() + (body.delayMs() == null ? -priority * 1000L : body.delayMs());
  }

  /** The task that stands under a key of a type. */
  FakeTask find(String taskType, String idempotencyKey) {
    server.types.named(taskType);
    String type = server.types.nameOf(taskType);
    KeyUse use = keyed.get(new Key(type, idempotencyKey));
    if (use == null || use.expireTime() < server.millis()) {
      throw new FlowException(
          ErrorCode.NO_SUCH_TASK, "no task of the type " + type + " has the key " + idempotencyKey);
    }
    return use.task();
  }
}
