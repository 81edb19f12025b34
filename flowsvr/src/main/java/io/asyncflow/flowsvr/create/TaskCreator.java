package io.asyncflow.flowsvr.create;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.create.limit.UserLimits;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.number.ServerNumber;
import io.asyncflow.flowsvr.pulse.TaskPulse;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.concurrent.NaturalBatches;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.NewTaskStore;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

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

  private final TaskTypes types;
  private final NewTaskTables newTaskTables;
  private final NewTaskStore store;
  private final KeyedCreates keyedCreates;
  private final UserLimits userLimits;
  private final Lanes lanes;
  private final ServerNumber serverNumber;
  private final RetryingTransactions transactions;
  private final Events events;
  private final TaskPulse pulse;
  private final NaturalBatches<TaskType, TaskDraft, CreatedTask> singles;

  TaskCreator(
      TaskTypes types,
      NewTaskTables newTaskTables,
      NewTaskStore store,
      KeyedCreates keyedCreates,
      UserLimits userLimits,
      Lanes lanes,
      ServerNumber serverNumber,
      RetryingTransactions transactions,
      Events events,
      TaskPulse pulse,
      @Value("${flow.single-creates-at-once:150}") int singlesAtOnce) {
    this.types = types;
    this.newTaskTables = newTaskTables;
    this.store = store;
    this.keyedCreates = keyedCreates;
    this.userLimits = userLimits;
    this.lanes = lanes;
    this.serverNumber = serverNumber;
    this.transactions = transactions;
    this.events = events;
    this.pulse = pulse;
    this.singles = new NaturalBatches<>(singlesAtOnce, new SingleCreates());
  }

  /**
   * Creates a waiting task, or does with the task under its key what it asks for, in one commit
   * with concurrent creates of its type.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if its type is not configured
   * @throws IdempotencyConflictException if its key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if too many tasks are being created, or its user has created too many
   */
  public CreatedTask createWithOutcome(TaskDraft task) {
    types.require(task.type());
    return singles.call(task.type(), task);
  }

  /** As {@link #createWithOutcome(TaskDraft)}, but returns the id alone. */
  public TaskId create(TaskDraft task) {
    return createWithOutcome(task).id();
  }

  /** How single creates of a type are executed. */
  final class SingleCreates implements NaturalBatches.Work<TaskType, TaskDraft, CreatedTask> {

    @Override
    public CreatedTask alone(TaskType type, TaskDraft task) {
      return createWithOutcome(CreateCall.of(List.of(task)).byUsers()).get(0);
    }

    /**
     * Creates the tasks of several calls, but leaves out those that a user would not be permitted.
     * After a conflict nothing is created; then each call is repeated alone, so that only the one
     * at fault is refused.
     */
    @Override
    public List<CreatedTask> together(TaskType type, List<TaskDraft> tasks) {
      List<Integer> permitted =
          userLimits.permitted(types.require(type), tasks.stream().map(TaskDraft::userId).toList());
      CreatedTask[] results = new CreatedTask[tasks.size()];
      if (!permitted.isEmpty()) {
        CreateCall call = CreateCall.of(permitted.stream().map(tasks::get).toList()).byUsers();
        Iterator<CreatedTask> created =
            create(call, isOneStatement(call) ? Commit.STATEMENT_ONCE : Commit.TRANSACTION_ONCE)
                .iterator();
        permitted.forEach(position -> results[position] = created.next());
      }
      return Arrays.asList(results);
    }
  }

  /** As {@link #createWithOutcome(CreateCall)}, but returns the ids alone. */
  public List<TaskId> create(CreateCall call) {
    return idsOf(createWithOutcome(call));
  }

  /**
   * Creates waiting tasks, or does with the tasks under their keys what they ask for. The results
   * are in the order of the call.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if a key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if a user has created too many
   */
  public List<CreatedTask> createWithOutcome(CreateCall call) {
    return create(call, isOneStatement(call) ? Commit.STATEMENT : Commit.TRANSACTION);
  }

  /**
   * Whether one statement can create the tasks; charging users and telling of creates take more. To
   * be asked once a call: a second answer may be another one, because a type may be saved in
   * between.
   */
  private boolean isOneStatement(CreateCall call) {
    if (!call.isOneStatement()) {
      return false;
    }
    return !charges(call) && !store.tellsOfCreates(call.tasks().get(0).type());
  }

  private boolean charges(CreateCall call) {
    return call.ofUsers()
        && call.tasks().stream()
            .map(TaskDraft::type)
            .distinct()
            .anyMatch(type -> types.require(type).userRateLimit() > 0);
  }

  /**
   * Charges one create to a user, for what is no task itself. Requires a transaction.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the user has created too many
   */
  public void chargeUser(TaskType type, String userId) {
    userLimits.charge(types.require(type), new TreeMap<>(Map.of(userId, 1)));
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
    TRANSACTION_ONCE;

    /** Whether users can be charged, and events be written. */
    boolean isTransaction() {
      return this == TRANSACTION || this == TRANSACTION_ONCE;
    }
  }

  private <T> T commit(Commit commit, Supplier<T> work) {
    return switch (commit) {
      case STATEMENT -> transactions.executeStatement(work);
      case STATEMENT_ONCE -> work.get();
      case TRANSACTION -> transactions.execute(work);
      case TRANSACTION_ONCE -> transactions.executeOnce(work);
    };
  }

  private void rehearse(Commit commit, Runnable work) {
    switch (commit) {
      case STATEMENT, TRANSACTION -> transactions.rehearse(work);
      case STATEMENT_ONCE, TRANSACTION_ONCE -> transactions.rehearseOnce(work);
    }
  }

  private List<CreatedTask> create(CreateCall call, Commit commit) {
    List<TaskDraft> tasks = call.tasks();
    Map<TaskType, List<Integer>> positionsByType = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      positionsByType.computeIfAbsent(tasks.get(i).type(), t -> new ArrayList<>()).add(i);
    }
    positionsByType.keySet().forEach(types::require); // before rows of any table are allotted
    List<CreatedTask> results = createWithRetries(call, positionsByType, commit);
    positionsByType.forEach((type, positions) -> tell(type, positions, tasks, results));
    return results;
  }

  private void tell(
      TaskType type, List<Integer> positions, List<TaskDraft> tasks, List<CreatedTask> results) {
    List<Integer> written = positions.stream().filter(i -> results.get(i).isWritten()).toList();
    if (written.isEmpty()) {
      return;
    }
    for (int i : written) {
      if (results.get(i).outcome() == CreateOutcome.CREATED) {
        pulse.created(type, tasks.get(i).stage(), 1);
      }
    }
    TasksWaiting news =
        TasksWaiting.created(
            type,
            written.stream().map(i -> results.get(i).id().table()).collect(toSet()),
            written.stream().map(tasks::get).toList());
    boolean areNew =
        written.stream().allMatch(i -> results.get(i).outcome() == CreateOutcome.CREATED);
    events.publish(areNew ? news : news.dueAtAnyTime());
  }

  private List<CreatedTask> createWithRetries(
      CreateCall call, Map<TaskType, List<Integer>> positionsByType, Commit commit) {
    for (int attempt = 1; ; attempt++) {
      SortedMap<TaskTable, List<Integer>> tables = new TreeMap<>();
      positionsByType.forEach(
          (type, positions) -> // before the transaction: it may run DDL
          tables.put(newTaskTables.tableFor(types.require(type), positions.size()), positions));
      TaskId[] newIds = newIds(tables, call.tasks().size());
      Map<TaskTable, Map<Set<String>, String>> laneOf =
          lanes(tables, call, newIds, commit); // before the transaction, too
      try {
        return commit(commit, () -> createIn(tables, call, commit.isTransaction(), newIds, laneOf));
      } catch (TableDrainedException e) {
        newTaskTables.outdated(e.table);
        if (attempt == MAX_ATTEMPTS) {
          throw new FlowException(ErrorCode.UNAVAILABLE, e.getMessage());
        }
      }
    }
  }

  /** The lanes of those tasks that not every worker may hold, by table and workers. */
  private Map<TaskTable, Map<Set<String>, String>> lanes(
      SortedMap<TaskTable, List<Integer>> tables, CreateCall call, TaskId[] newIds, Commit commit) {
    if (call.tasks().stream().allMatch(task -> task.workers().isEmpty())) {
      return Map.of();
    }
    Map<TaskTable, Set<Set<String>>> sets = new HashMap<>();
    tables.forEach((table, positions) -> sets.put(table, setsOfWorkers(call, positions)));
    boolean makesLanes = sets.keySet().stream().anyMatch(t -> !lanes.know(sets.get(t), t));
    if (makesLanes && (call.hasKeys() || charges(call))) {
      rehearse(commit, () -> judge(tables, call, newIds));
    }
    Map<TaskTable, Map<Set<String>, String>> laneOf = new HashMap<>();
    sets.forEach((table, ofTable) -> laneOf.put(table, lanes.ofEach(ofTable, table)));
    return laneOf;
  }

  private static Set<Set<String>> setsOfWorkers(CreateCall call, List<Integer> positions) {
    return positions.stream()
        .map(position -> call.tasks().get(position).workers())
        .filter(workers -> !workers.isEmpty())
        .collect(toSet());
  }

  /**
   * Refuses a call for its keys or for the limits of its users. Requires a transaction that is
   * rolled back. Lanes stay, so they are made for no call that is refused.
   */
  private void judge(SortedMap<TaskTable, List<Integer>> tables, CreateCall call, TaskId[] newIds) {
    CreatedTask[] results = new CreatedTask[newIds.length];
    tables.forEach(
        (table, positions) -> {
          newTasks(table, call, positions, newIds, Map.of(), results);
          charge(table.type(), call, positions, results);
        });
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

  private List<CreatedTask> createIn(
      SortedMap<TaskTable, List<Integer>> tables,
      CreateCall call,
      boolean isTransaction,
      TaskId[] newIds,
      Map<TaskTable, Map<Set<String>, String>> laneOf) {
    CreatedTask[] results = new CreatedTask[newIds.length];
    tables.forEach(
        (table, positions) -> {
          Map<Set<String>, String> laneOfSet = laneOf.getOrDefault(table, Map.of());
          SortedMap<Long, TaskDraft> newTasks =
              newTasks(table, call, positions, newIds, laneOfSet, results);
          if (isTransaction) {
            charge(table.type(), call, positions, results);
          }
          Map<Long, JobPlace> places = call.placesOf(newIds);
          insert(table, newTasks, places, lanesOf(newTasks, laneOfSet));
          if (isTransaction) {
            store.tellOfCreates(table, newTasks, places);
          }
        });
    call.joinWith(idsOf(Arrays.asList(results)));
    return Arrays.asList(results);
  }

  private void insert(
      TaskTable table,
      SortedMap<Long, TaskDraft> newTasks,
      Map<Long, JobPlace> places,
      Map<Long, String> lanes) {
    if (!newTasks.isEmpty() && !store.insertUnlessDrained(table, newTasks, places, lanes)) {
      throw new TableDrainedException(table);
    }
  }

  /**
   * Takes the keys.
   *
   * @param results gets the results of the tasks at these positions
   * @return the tasks that are to be inserted, by number
   */
  private SortedMap<Long, TaskDraft> newTasks(
      TaskTable table,
      CreateCall call,
      List<Integer> positions,
      TaskId[] newIds,
      Map<Set<String>, String> laneOf,
      CreatedTask[] results) {
    SortedMap<Long, TaskDraft> newTasks = new TreeMap<>();
    List<Integer> keyed = new ArrayList<>();
    for (int position : positions) {
      TaskDraft task = call.tasks().get(position);
      if (task.idempotencyKey() != null) {
        keyed.add(position);
      } else {
        newTasks.put(newIds[position].number(), task);
        results[position] = new CreatedTask(newIds[position], CreateOutcome.CREATED);
      }
    }
    if (!keyed.isEmpty()) {
      List<KeyedCreates.Wanted> wanted =
          keyed.stream().map(i -> new KeyedCreates.Wanted(call.tasks().get(i), newIds[i])).toList();
      Iterator<CreatedTask> ofKeys =
          keyedCreates.create(table, wanted, call.users(), laneOf, newTasks).iterator();
      keyed.forEach(position -> results[position] = ofKeys.next());
    }
    return newTasks;
  }

  /** A task that is new, or runs again, is charged; one that only gets a new body is not. */
  private void charge(
      TaskType type, CreateCall call, List<Integer> positions, CreatedTask[] results) {
    if (!call.ofUsers()) {
      return;
    }
    SortedMap<String, Integer> counts = new TreeMap<>();
    for (int position : positions) {
      CreateOutcome outcome = results[position].outcome();
      if (outcome == CreateOutcome.CREATED || outcome == CreateOutcome.RERUN) {
        counts.merge(call.tasks().get(position).userId(), 1, Integer::sum);
      }
    }
    if (!counts.isEmpty()) {
      userLimits.charge(types.require(type), counts);
    }
  }

  /** The lanes, by number, of those new tasks that not every worker may hold. */
  private static Map<Long, String> lanesOf(
      SortedMap<Long, TaskDraft> newTasks, Map<Set<String>, String> laneOf) {
    if (laneOf.isEmpty()) {
      return Map.of();
    }
    Map<Long, String> lanes = new HashMap<>();
    newTasks.forEach(
        (number, task) -> {
          if (!task.workers().isEmpty()) {
            lanes.put(number, laneOf.get(task.workers()));
          }
        });
    return lanes;
  }

  private static List<TaskId> idsOf(List<CreatedTask> created) {
    return created.stream().map(CreatedTask::id).toList();
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
