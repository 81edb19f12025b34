package io.asyncflow.flowsvr.create;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.create.IdempotencyKeyStore.KeyUse;
import io.asyncflow.flowsvr.number.ServerNumber;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.NaturalBatches;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates tasks: all of a call, or none. Single creates of a type that come at the same time are
 * committed together. Without keys that is one statement, which makes sure by itself that begin has
 * not moved past the table.
 *
 * <p>A key and its task commit together, so a key never stands for a task that does not exist. Of
 * two calls with one key the second waits for the first one's commit and gets its task.
 */
@Service
public class TaskCreator {

  private static final int ATTEMPTS = 5;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final TaskTypes types;
  private final NewTaskTables newTaskTables;
  private final TaskStore store;
  private final IdempotencyKeyStore keys;
  private final ServerNumber serverNumber;
  private final RetryingTransactions transactions;
  private final Events events;
  private final TaskMeters meters;
  private final Duration keyRetention;
  private final NaturalBatches<TaskType, TaskDraft, TaskId> singles;

  TaskCreator(
      TaskTypes types,
      NewTaskTables newTaskTables,
      TaskStore store,
      IdempotencyKeyStore keys,
      ServerNumber serverNumber,
      RetryingTransactions transactions,
      Events events,
      TaskMeters meters,
      @Value("${flow.idempotency-key-retention:7d}") Duration keyRetention,
      @Value("${flow.single-creates-at-once:150}") int singlesAtOnce) {
    this.types = types;
    this.newTaskTables = newTaskTables;
    this.store = store;
    this.keys = keys;
    this.serverNumber = serverNumber;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
    this.keyRetention = keyRetention;
    this.singles = new NaturalBatches<>(singlesAtOnce, new SingleCreates());
  }

  /**
   * Creates a waiting task, in one commit with others of its type that come at the same time.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if its type is not configured
   * @throws IdempotencyConflictException if its key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if too many are being created
   */
  public TaskId create(TaskDraft task) {
    types.require(task.type());
    return singles.call(task.type(), task);
  }

  private final class SingleCreates implements NaturalBatches.Work<TaskType, TaskDraft, TaskId> {

    @Override
    public TaskId alone(TaskType type, TaskDraft task) {
      return create(CreateCall.of(List.of(task))).get(0);
    }

    /** A conflict undoes the batch: then each is created alone, and the bad one alone refused. */
    @Override
    public List<TaskId> together(TaskType type, List<TaskDraft> tasks) {
      CreateCall call = CreateCall.of(tasks);
      return create(call, call.isOneStatement() ? Commit.STATEMENT_ONCE : Commit.ONCE);
    }
  }

  /**
   * Creates waiting tasks and returns their ids in the order given.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if a key was used with another body
   */
  public List<TaskId> create(CreateCall call) {
    return create(call, call.isOneStatement() ? Commit.STATEMENT : Commit.TRANSACTION);
  }

  /** A number for something else than a task, from the same source. */
  public long nextNumber() {
    return serverNumber.nextTaskNumber();
  }

  /** What commits a call. */
  private enum Commit {
    /** Its one statement, which is repeated after a deadlock. */
    STATEMENT,
    /** Its one statement; the caller does something else after a deadlock. */
    STATEMENT_ONCE,
    /** A transaction, which is repeated after a deadlock. */
    TRANSACTION,
    /** A transaction; the caller does something else after a deadlock. */
    ONCE
  }

  private <T> T commit(Commit commit, Supplier<T> work) {
    return switch (commit) {
      case STATEMENT -> transactions.executeStatement(work);
      case STATEMENT_ONCE -> work.get();
      case TRANSACTION -> transactions.execute(work);
      case ONCE -> transactions.executeOnce(work);
    };
  }

  private List<TaskId> create(CreateCall call, Commit commit) {
    List<TaskDraft> tasks = call.tasks();
    Map<TaskType, List<Integer>> positionsByType = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      positionsByType.computeIfAbsent(tasks.get(i).type(), t -> new ArrayList<>()).add(i);
    }
    positionsByType.keySet().forEach(types::require); // before room in any table is given out
    List<TaskId> ids = createUndrained(call, positionsByType, commit);
    positionsByType.forEach(
        (type, positions) -> {
          meters.created(type.name(), positions.size());
          events.publish(
              TasksWaiting.created(
                  type,
                  positions.stream().map(at -> ids.get(at).table()).collect(toSet()),
                  positions.stream().map(tasks::get).toList()));
        });
    return ids;
  }

  private List<TaskId> createUndrained(
      CreateCall call, Map<TaskType, List<Integer>> positionsByType, Commit commit) {
    for (int attempt = 1; ; attempt++) {
      SortedMap<TaskTable, List<Integer>> tables = new TreeMap<>();
      positionsByType.forEach(
          (type, positions) -> // before the transaction: it may run DDL
          tables.put(newTaskTables.tableFor(types.require(type), positions.size()), positions));
      TaskId[] newIds = newIds(tables, call.tasks().size());
      try {
        return commit(commit, () -> createIn(tables, call, newIds));
      } catch (TableDrainedException e) {
        newTaskTables.outdated(e.table);
        if (attempt == ATTEMPTS) {
          throw new FlowException(ErrorCode.UNAVAILABLE, e.getMessage());
        }
      }
    }
  }

  /** In the order given: of two tasks that are due at the same time the lower number is first. */
  private TaskId[] newIds(SortedMap<TaskTable, List<Integer>> tables, int count) {
    TaskTable[] homes = new TaskTable[count];
    tables.forEach((table, positions) -> positions.forEach(at -> homes[at] = table));
    return Arrays.stream(homes)
        .map(table -> new TaskId(serverNumber.nextTaskNumber(), table))
        .toArray(TaskId[]::new);
  }

  private List<TaskId> createIn(
      SortedMap<TaskTable, List<Integer>> tables, CreateCall call, TaskId[] newIds) {
    TaskId[] made = newIds.clone();
    tables.forEach((table, positions) -> createIn(table, call, positions, made));
    call.joinWith(List.of(made));
    return Arrays.asList(made);
  }

  /**
   * @param made the ids that new tasks get; those of keys that stand for a task already are
   *     replaced
   */
  private void createIn(TaskTable table, CreateCall call, List<Integer> positions, TaskId[] made) {
    List<TaskDraft> tasks = call.tasks();
    SortedMap<String, KeyUse> wanted = wantedKeys(tasks, positions, made);
    Map<String, KeyUse> standing = wanted.isEmpty() ? Map.of() : use(table, wanted);
    SortedMap<Long, TaskDraft> fresh = new TreeMap<>();
    for (int position : positions) {
      TaskDraft task = tasks.get(position);
      String key = task.idempotencyKey();
      if (key != null) {
        KeyUse use = standing.get(key);
        if (!Arrays.equals(use.bodyHash(), bodyHash(task))) {
          throw new IdempotencyConflictException(key);
        }
        made[position] = use.id();
      }
      if (key == null || made[position].equals(wanted.get(key).id())) {
        fresh.putIfAbsent(made[position].number(), task);
      }
    }
    if (!fresh.isEmpty() && !store.insertUnlessDrained(table, fresh, call.placesOf(made))) {
      throw new TableDrainedException(table);
    }
  }

  /** Each key of the call once, with the task that it makes if it is free. */
  private static SortedMap<String, KeyUse> wantedKeys(
      List<TaskDraft> tasks, List<Integer> positions, TaskId[] newIds) {
    SortedMap<String, KeyUse> wanted = new TreeMap<>();
    for (int position : positions) {
      TaskDraft task = tasks.get(position);
      String key = task.idempotencyKey();
      if (key != null && !wanted.containsKey(key)) {
        wanted.put(key, new KeyUse(key, bodyHash(task), newIds[position]));
      }
    }
    return wanted;
  }

  private Map<String, KeyUse> use(TaskTable table, SortedMap<String, KeyUse> wanted) {
    keys.takeFree(table, List.copyOf(wanted.values()), keyRetention);
    return keys.find(table, wanted.keySet());
  }

  /** Two bodies are the same when they ask for the same task; spelling and spaces do not count. */
  private static byte[] bodyHash(TaskDraft task) {
    List<Object> asked =
        Arrays.asList(
            task.userId(),
            task.type().name(),
            task.stage(),
            task.scheduleLog(),
            task.context(),
            task.priority(),
            task.delayMs(),
            task.runAt(),
            task.maxRetryNum(),
            task.maxRetryInterval());
    try {
      return MessageDigest.getInstance("SHA-256").digest(JSON.writeValueAsBytes(asked));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Begin has moved past the table since it was chosen: it takes no more tasks. */
  private static final class TableDrainedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient TaskTable table;

    TableDrainedException(TaskTable table) {
      super("new tasks were sent to " + table + ", which is drained");
      this.table = table;
    }
  }
}
