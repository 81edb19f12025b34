package io.asyncflow.flowsvr.create;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.create.IdempotencyKeyStore.KeyUse;
import io.asyncflow.flowsvr.create.limit.UserLimits;
import io.asyncflow.flowsvr.lane.Lanes;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates tasks: all of a call, or none. Concurrent single creates of a type are committed
 * together. Without idempotency keys that is one statement, which also ensures that begin has not
 * moved past the table.
 *
 * <p>A key and its task are committed together, so a key never stands for a task that does not
 * exist. Of two concurrent calls with the same key, the second waits for the first one's commit and
 * returns its task. Thread-safe.
 */
@Service
public class TaskCreator {

  private static final int MAX_ATTEMPTS = 5;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final TaskTypes types;
  private final NewTaskTables newTaskTables;
  private final TaskStore store;
  private final IdempotencyKeyStore keys;
  private final UserLimits userLimits;
  private final Lanes lanes;
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
      UserLimits userLimits,
      Lanes lanes,
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
    this.userLimits = userLimits;
    this.lanes = lanes;
    this.serverNumber = serverNumber;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
    this.keyRetention = keyRetention;
    this.singles = new NaturalBatches<>(singlesAtOnce, new SingleCreates());
  }

  /**
   * Creates a waiting task, in one commit with concurrent creates of its type.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if its type is not configured
   * @throws IdempotencyConflictException if its key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if too many tasks are being created, or its user has created too many
   */
  public TaskId create(TaskDraft task) {
    types.require(task.type());
    return singles.call(task.type(), task);
  }

  private final class SingleCreates implements NaturalBatches.Work<TaskType, TaskDraft, TaskId> {

    @Override
    public TaskId alone(TaskType type, TaskDraft task) {
      return create(CreateCall.of(List.of(task)).byUsers()).get(0);
    }

    /**
     * Creates the tasks of several calls. After a conflict, or if a user exceeds a limit, nothing
     * is created; then each call is repeated alone, so that only the one at fault is refused.
     */
    @Override
    public List<TaskId> together(TaskType type, List<TaskDraft> tasks) {
      CreateCall call = CreateCall.of(tasks).byUsers();
      return create(call, isOneStatement(call) ? Commit.STATEMENT_ONCE : Commit.TRANSACTION_ONCE);
    }
  }

  /**
   * Creates waiting tasks and returns their ids in the order of the call.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if a key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if a user has created too many
   */
  public List<TaskId> create(CreateCall call) {
    return create(call, isOneStatement(call) ? Commit.STATEMENT : Commit.TRANSACTION);
  }

  /** Whether one statement can create the tasks; charging their users takes others. */
  private boolean isOneStatement(CreateCall call) {
    return call.isOneStatement()
        && (!call.ofUsers() || types.require(call.tasks().get(0).type()).userRateLimit() == 0);
  }

  /** A number for another entity than a task, from the same sequence. */
  public long nextNumber() {
    return serverNumber.nextTaskNumber();
  }

  /**
   * Does nothing if this server has numbers for new tasks.
   *
   * @throws FlowException with {@link ErrorCode#UNAVAILABLE} if it can create none now, of any type
   */
  public void requireNumbers() {
    serverNumber.nextTaskNumber();
  }

  /** How a call is committed. */
  private enum Commit {
    /** One statement, repeated after a deadlock. */
    STATEMENT,
    /** One statement; the caller handles a deadlock. */
    STATEMENT_ONCE,
    /** A transaction, repeated after a deadlock. */
    TRANSACTION,
    /** A transaction; the caller handles a deadlock. */
    TRANSACTION_ONCE
  }

  private <T> T commit(Commit commit, Supplier<T> work) {
    return switch (commit) {
      case STATEMENT -> transactions.executeStatement(work);
      case STATEMENT_ONCE -> work.get();
      case TRANSACTION -> transactions.execute(work);
      case TRANSACTION_ONCE -> transactions.executeOnce(work);
    };
  }

  private List<TaskId> create(CreateCall call, Commit commit) {
    List<TaskDraft> tasks = call.tasks();
    Map<TaskType, List<Integer>> positionsByType = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      positionsByType.computeIfAbsent(tasks.get(i).type(), t -> new ArrayList<>()).add(i);
    }
    positionsByType.keySet().forEach(types::require); // before rows of any table are allotted
    List<TaskId> ids = createWithRetries(call, positionsByType, commit);
    positionsByType.forEach(
        (type, positions) -> {
          meters.created(type.name(), positions.size());
          events.publish(
              TasksWaiting.created(
                  type,
                  positions.stream().map(position -> ids.get(position).table()).collect(toSet()),
                  positions.stream().map(tasks::get).toList()));
        });
    return ids;
  }

  private List<TaskId> createWithRetries(
      CreateCall call, Map<TaskType, List<Integer>> positionsByType, Commit commit) {
    for (int attempt = 1; ; attempt++) {
      SortedMap<TaskTable, List<Integer>> tables = new TreeMap<>();
      positionsByType.forEach(
          (type, positions) -> // before the transaction: it may run DDL
          tables.put(newTaskTables.tableFor(types.require(type), positions.size()), positions));
      TaskId[] newIds = newIds(tables, call.tasks().size());
      Map<Integer, String> laneAt = lanes(tables, call.tasks()); // before the transaction, too
      try {
        return commit(commit, () -> createIn(tables, call, newIds, laneAt));
      } catch (TableDrainedException e) {
        newTaskTables.outdated(e.table);
        if (attempt == MAX_ATTEMPTS) {
          throw new FlowException(ErrorCode.UNAVAILABLE, e.getMessage());
        }
      }
    }
  }

  /** The lanes of those tasks that not every worker may hold, by their positions in the call. */
  private Map<Integer, String> lanes(
      SortedMap<TaskTable, List<Integer>> tables, List<TaskDraft> tasks) {
    if (tasks.stream().allMatch(task -> task.workers().isEmpty())) {
      return Map.of();
    }
    Map<Integer, String> laneAt = new HashMap<>();
    tables.forEach(
        (table, positions) ->
            positions.stream()
                .filter(position -> !tasks.get(position).workers().isEmpty())
                .forEach(
                    position ->
                        laneAt.put(position, lanes.of(tasks.get(position).workers(), table))));
    return laneAt;
  }

  /**
   * Numbers in the order of the call: of two tasks with the same due time the lower number comes
   * first.
   */
  private TaskId[] newIds(SortedMap<TaskTable, List<Integer>> tables, int count) {
    TaskTable[] tableOf = new TaskTable[count];
    tables.forEach((table, positions) -> positions.forEach(position -> tableOf[position] = table));
    return Arrays.stream(tableOf)
        .map(table -> new TaskId(serverNumber.nextTaskNumber(), table))
        .toArray(TaskId[]::new);
  }

  private List<TaskId> createIn(
      SortedMap<TaskTable, List<Integer>> tables,
      CreateCall call,
      TaskId[] newIds,
      Map<Integer, String> laneAt) {
    TaskId[] taskIds = newIds.clone();
    tables.forEach((table, positions) -> createIn(table, call, positions, taskIds, laneAt));
    call.joinWith(List.of(taskIds));
    return Arrays.asList(taskIds);
  }

  /**
   * @param taskIds the ids of new tasks; the id of a task whose key is in use is replaced
   */
  private void createIn(
      TaskTable table,
      CreateCall call,
      List<Integer> positions,
      TaskId[] taskIds,
      Map<Integer, String> laneAt) {
    List<TaskDraft> tasks = call.tasks();
    SortedMap<String, KeyUse> wanted = wantedKeys(tasks, positions, taskIds);
    Map<String, KeyUse> current = wanted.isEmpty() ? Map.of() : use(table, wanted);
    SortedMap<Long, TaskDraft> newTasks = new TreeMap<>();
    Map<Long, String> laneOf = new HashMap<>();
    for (int position : positions) {
      TaskDraft task = tasks.get(position);
      String key = task.idempotencyKey();
      if (key != null) {
        KeyUse use = current.get(key);
        if (!Arrays.equals(use.bodyHash(), bodyHash(task))) {
          throw new IdempotencyConflictException(key);
        }
        taskIds[position] = use.id();
      }
      if (key == null || taskIds[position].equals(wanted.get(key).id())) {
        newTasks.putIfAbsent(taskIds[position].number(), task);
        if (laneAt.containsKey(position)) {
          laneOf.put(taskIds[position].number(), laneAt.get(position));
        }
      }
    }
    if (call.ofUsers() && !newTasks.isEmpty()) {
      userLimits.charge(types.require(table.type()), countByUser(newTasks.values()));
    }
    if (!newTasks.isEmpty()
        && !store.insertUnlessDrained(table, newTasks, call.placesOf(taskIds), laneOf)) {
      throw new TableDrainedException(table);
    }
  }

  private static SortedMap<String, Integer> countByUser(Collection<TaskDraft> tasks) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    tasks.forEach(task -> counts.merge(task.userId(), 1, Integer::sum));
    return counts;
  }

  /** The distinct keys of the call, each with the task to create if the key is free. */
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

  /** The hash of the task's values; the spelling and the white space of the JSON do not matter. */
  private static byte[] bodyHash(TaskDraft task) {
    List<Object> values =
        new ArrayList<>(
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
                task.maxRetryInterval()));
    if (task.maxUnexpectedRetries() != null) {
      values.add(task.maxUnexpectedRetries());
    }
    if (!task.workers().isEmpty()) {
      values.add(new TreeSet<>(task.workers()));
    }
    try {
      return MessageDigest.getInstance("SHA-256").digest(JSON.writeValueAsBytes(values));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Begin has moved past the chosen table, so it takes no new tasks. */
  private static final class TableDrainedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient TaskTable table;

    TableDrainedException(TaskTable table) {
      super("new tasks were sent to " + table + ", which is drained");
      this.table = table;
    }
  }
}
