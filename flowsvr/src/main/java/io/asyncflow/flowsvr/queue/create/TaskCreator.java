package io.asyncflow.flowsvr.queue.create;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.concurrent.NaturalBatches;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.queue.claim.Handover;
import io.asyncflow.flowsvr.queue.claim.Handover.HoldRepeatedException;
import io.asyncflow.flowsvr.queue.claim.Handover.Offer;
import io.asyncflow.flowsvr.queue.create.limit.UserLimits;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.number.ServerNumber;
import io.asyncflow.flowsvr.task.row.NewRow;
import io.asyncflow.flowsvr.task.row.NewTaskStore;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.type.TaskTypes;
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
 * moved past the table; or a transaction that hands the tasks over to holds that wait for them.
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
  private final Handover handover;
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
      Handover handover,
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
    this.handover = handover;
    this.events = events;
    this.pulse = pulse;
    this.singles = new NaturalBatches<>(singlesAtOnce, new SingleCreates());
  }

  /**
   * Creates a waiting task, or does with the task under its key what it asks for, in one commit
   * with concurrent creates of its type.
   *
   * @throws io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException if its type is not configured
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
      return create(CreateCall.of(List.of(task)).byUsers(), true, true).get(0);
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
            create(call, false, true).iterator(); // the caller handles a deadlock
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
   * @throws io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException if a type is not configured
   * @throws IdempotencyConflictException if a key was used with another body
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if a user has created too many
   */
  public List<CreatedTask> createWithOutcome(CreateCall call) {
    return create(call, true, false);
  }

  /**
   * @param isRepeated whether to begin again after a deadlock
   * @param isOffered whether parked holds may be given the tasks, which are of one type
   */
  private List<CreatedTask> create(CreateCall call, boolean isRepeated, boolean isOffered) {
    Map<TaskType, List<TaskDraft>> tasks =
        call.tasks().stream().collect(groupingBy(TaskDraft::type, LinkedHashMap::new, toList()));
    tasks.keySet().forEach(types::require); // before rows of any table are allotted
    // Asked once: the next answer may be another one, because a type may be saved in between.
    boolean isTransaction = !isOneStatement(call, tasks.keySet());
    boolean mayOffer = isOffered;
    for (int attempt = 1; ; attempt++) {
      List<NewRow> rows = rows(call, tasks); // before the transaction: it may run DDL
      try (Offer offer = mayOffer ? offer(rows) : handover.nothing()) {
        Supplier<List<CreatedTask>> work = () -> write(rows, call, isTransaction, offer);
        List<CreatedTask> results;
        if (isTransaction || offer.isAny()) {
          results = isRepeated ? transactions.execute(work) : transactions.executeOnce(work);
        } else {
          results = isRepeated ? transactions.retrying(work) : work.get();
        }
        publish(rows, results, offer);
        offer.answer();
        return results;
      } catch (TableDrainedException e) {
        newTaskTables.outdated(e.table);
        if (attempt >= MAX_ATTEMPTS) {
          throw new FlowException(ErrorCode.UNAVAILABLE, e.getMessage());
        }
      } catch (HoldRepeatedException e) {
        mayOffer = false;
      }
    }
  }

  private Offer offer(List<NewRow> rows) {
    return handover.offer(types.require(rows.get(0).task().type()), rows);
  }

  /**
   * Whether one statement, which is a transaction of its own, can create the tasks; keys, users who
   * are charged, and events take more.
   */
  private boolean isOneStatement(CreateCall call, Set<TaskType> ofTypes) {
    return call.join() == null
        && ofTypes.size() == 1
        && NewTaskStore.fitOneStatement(call.tasks())
        && call.tasks().stream().allMatch(task -> task.idempotencyKey() == null)
        && ofTypes.stream()
            .noneMatch(
                type ->
                    call.ofUsers() && types.require(type).userRateLimit() > 0
                        || store.tellsOfCreates(type));
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

  /**
   * The rows that the tasks would have, with numbers in the order of the call: of two tasks with
   * the same due time the lower number comes first.
   */
  private List<NewRow> rows(CreateCall call, Map<TaskType, List<TaskDraft>> tasks) {
    Map<TaskType, TaskTable> tables = new HashMap<>();
    Map<TaskType, Map<Set<String>, String>> laneOf = new HashMap<>();
    tasks.forEach(
        (type, ofType) -> {
          TaskTable table = newTaskTables.tableFor(types.require(type), ofType.size());
          Set<Set<String>> workers = ofType.stream().map(TaskDraft::workers).collect(toSet());
          tables.put(type, table);
          laneOf.put(type, lanes.ofEach(workers, table));
        });
    List<NewRow> rows = new ArrayList<>(call.tasks().size());
    for (TaskDraft task : call.tasks()) {
      rows.add(
          new NewRow(
              new TaskId(serverNumber.nextTaskNumber(), tables.get(task.type())),
              task,
              call.place(rows.size()),
              laneOf.get(task.type()).get(task.workers())));
    }
    return rows;
  }

  private List<CreatedTask> write(
      List<NewRow> rows, CreateCall call, boolean isTransaction, Offer offer) {
    Map<TaskId, CreatedTask> results = new HashMap<>();
    SortedMap<TaskTable, List<NewRow>> byTable =
        rows.stream().collect(groupingBy(row -> row.id().table(), TreeMap::new, toList()));
    for (Map.Entry<TaskTable, List<NewRow>> entry : byTable.entrySet()) {
      TaskTable table = entry.getKey();
      List<NewRow> ofTable = entry.getValue();
      List<NewRow> inserts = keyedCreates.take(ofTable, call, results);
      if (isTransaction && call.ofUsers()) {
        charge(table.type(), ofTable, results);
      }
      if (offer.isAny()) {
        inserts = offer.give(inserts);
      }
      if (!inserts.isEmpty() && !store.insertUnlessDrained(table, inserts)) {
        throw new TableDrainedException(table);
      }
      if (offer.isAny()) {
        offer.record();
      }
      if (isTransaction) {
        store.tellOfCreates(table.type(), inserts);
      }
    }
    List<CreatedTask> inOrder = rows.stream().map(row -> results.get(row.id())).toList();
    if (call.join() != null) {
      call.join().with(idsOf(inOrder));
    }
    return inOrder;
  }

  /** A task that is new, or runs again, is charged; one that only gets a new body is not. */
  private void charge(TaskType type, List<NewRow> rows, Map<TaskId, CreatedTask> results) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    for (NewRow row : rows) {
      CreateOutcome outcome = results.get(row.id()).outcome();
      if (outcome == CreateOutcome.CREATED || outcome == CreateOutcome.RERUN) {
        counts.merge(row.task().userId(), 1, Integer::sum);
      }
    }
    if (!counts.isEmpty()) {
      userLimits.charge(types.require(type), counts);
    }
  }

  private void publish(List<NewRow> rows, List<CreatedTask> results, Offer offer) {
    Map<TaskType, List<NewRow>> written = new LinkedHashMap<>();
    boolean areNew = true;
    for (int i = 0; i < rows.size(); i++) {
      NewRow row = rows.get(i);
      CreatedTask result = results.get(i);
      TaskType type = row.task().type();
      if (result.isWritten() && !offer.hasGiven(result.id())) {
        written.computeIfAbsent(type, t -> new ArrayList<>()).add(row.withId(result.id()));
      }
      if (result.outcome() == CreateOutcome.CREATED) {
        pulse.created(type, row.task().stage(), 1);
      } else {
        areNew = false;
      }
    }
    for (Map.Entry<TaskType, List<NewRow>> ofType : written.entrySet()) {
      TasksWaiting news = TasksWaiting.created(ofType.getKey(), ofType.getValue());
      events.publish(areNew ? news : news.dueAtAnyTime());
    }
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
