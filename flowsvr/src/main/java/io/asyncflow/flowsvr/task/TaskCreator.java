package io.asyncflow.flowsvr.task;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.NaturalBatches;
import io.asyncflow.flowsvr.system.RetryingTransactions;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.IdempotencyKeyStore.KeyUse;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
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
  private final NaturalBatches<TaskType, NewTask, TaskId> singles;

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
   * @param task checked
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if its type is not configured
   * @throws IdempotencyConflictException if its key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if too many are being created
   */
  public TaskId create(NewTask task) {
    TaskType type = TaskType.parse(task.taskType()).orElseThrow();
    types.require(type);
    return singles.call(type, task);
  }

  private final class SingleCreates implements NaturalBatches.Work<TaskType, NewTask, TaskId> {

    @Override
    public TaskId alone(TaskType type, NewTask task) {
      return create(List.of(task)).get(0);
    }

    /** A conflict undoes the batch: then each is created alone, and the bad one alone refused. */
    @Override
    public List<TaskId> together(TaskType type, List<NewTask> tasks) {
      return create(tasks, transactions::executeOnce, Supplier::get);
    }
  }

  /**
   * Creates waiting tasks and returns their ids in the order given.
   *
   * @param tasks each one checked; their types may differ in case
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if a key was used with another body
   */
  public List<TaskId> create(List<NewTask> tasks) {
    return create(tasks, transactions::execute, transactions::executeStatement);
  }

  /** What else a transaction does that creates tasks. */
  @FunctionalInterface
  public interface Join {

    /**
     * Runs in the transaction, after the tasks were inserted; what it throws undoes them.
     *
     * @param ids of the tasks, in the order given
     */
    void with(List<TaskId> ids);
  }

  /** The same, and in its transaction what {@code join} does. */
  public List<TaskId> create(List<NewTask> tasks, Join join) {
    return create(new Wanted(tasks, List.of(), join), transactions::execute);
  }

  /**
   * Creates waiting tasks of jobs, as {@link #create(List)} does.
   *
   * @param tasks without keys
   * @param places what each of them is
   * @param join makes the jobs know of them
   */
  public List<TaskId> createForJobs(List<NewTask> tasks, List<JobPlace> places, Join join) {
    return create(new Wanted(tasks, places, join), transactions::execute);
  }

  /** A number for something else than a task, from the same source. */
  public long nextNumber() {
    return serverNumber.nextTaskNumber();
  }

  /**
   * @param transaction runs what creates them, and commits it
   * @param statement runs it where it is one statement, which commits by itself
   */
  private List<TaskId> create(
      List<NewTask> tasks,
      Function<Supplier<List<TaskId>>, List<TaskId>> transaction,
      Function<Supplier<List<TaskId>>, List<TaskId>> statement) {
    boolean isOneStatement =
        tasks.stream().map(task -> task.taskType().toLowerCase(Locale.ROOT)).distinct().count() == 1
            && TaskStore.fitOneStatement(tasks)
            && tasks.stream().allMatch(task -> task.idempotencyKey() == null);
    Wanted wanted = new Wanted(tasks, List.of(), ids -> {});
    return create(wanted, isOneStatement ? statement : transaction);
  }

  /**
   * What a call wants to be created.
   *
   * @param places empty for tasks of their own
   */
  private record Wanted(List<NewTask> tasks, List<JobPlace> places, Join join) {

    Map<Long, JobPlace> placesOf(TaskId[] ids) {
      Map<Long, JobPlace> byNumber = new HashMap<>();
      for (int i = 0; i < places.size(); i++) {
        byNumber.put(ids[i].number(), places.get(i));
      }
      return byNumber;
    }
  }

  private List<TaskId> create(
      Wanted wanted, Function<Supplier<List<TaskId>>, List<TaskId>> commit) {
    List<NewTask> tasks = wanted.tasks();
    Map<TaskType, List<Integer>> positionsByType = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      TaskType type = TaskType.parse(tasks.get(i).taskType()).orElseThrow();
      types.require(type);
      positionsByType.computeIfAbsent(type, t -> new ArrayList<>()).add(i);
    }
    List<TaskId> ids = createUndrained(wanted, positionsByType, commit);
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
      Wanted wanted,
      Map<TaskType, List<Integer>> positionsByType,
      Function<Supplier<List<TaskId>>, List<TaskId>> commit) {
    for (int attempt = 1; ; attempt++) {
      SortedMap<TaskTable, List<Integer>> tables = new TreeMap<>();
      positionsByType.forEach(
          (type, positions) -> // before the transaction: it may run DDL
          tables.put(newTaskTables.tableFor(types.require(type), positions.size()), positions));
      TaskId[] newIds = newIds(tables, wanted.tasks().size());
      try {
        return commit.apply(() -> createIn(tables, wanted, newIds));
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
      SortedMap<TaskTable, List<Integer>> tables, Wanted wanted, TaskId[] newIds) {
    TaskId[] made = newIds.clone();
    tables.forEach((table, positions) -> createIn(table, wanted, positions, made));
    wanted.join().with(List.of(made));
    return Arrays.asList(made);
  }

  /**
   * @param made the ids that new tasks get; those of keys that stand for a task already are
   *     replaced
   */
  private void createIn(TaskTable table, Wanted all, List<Integer> positions, TaskId[] made) {
    List<NewTask> tasks = all.tasks();
    SortedMap<String, KeyUse> wanted = wantedKeys(tasks, positions, made);
    Map<String, KeyUse> standing = wanted.isEmpty() ? Map.of() : use(table, wanted);
    SortedMap<Long, NewTask> fresh = new TreeMap<>();
    for (int position : positions) {
      NewTask task = tasks.get(position);
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
    if (!fresh.isEmpty() && !store.insertUnlessDrained(table, fresh, all.placesOf(made))) {
      throw new TableDrainedException(table);
    }
  }

  /** Each key of the call once, with the task that it makes if it is free. */
  private static SortedMap<String, KeyUse> wantedKeys(
      List<NewTask> tasks, List<Integer> positions, TaskId[] newIds) {
    SortedMap<String, KeyUse> wanted = new TreeMap<>();
    for (int position : positions) {
      NewTask task = tasks.get(position);
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
  private static byte[] bodyHash(NewTask task) {
    String type = task.taskType().toLowerCase(Locale.ROOT);
    List<Object> asked =
        Arrays.asList(
            task.userId(),
            type,
            task.taskStage(),
            task.scheduleLog(),
            task.taskContext(),
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
