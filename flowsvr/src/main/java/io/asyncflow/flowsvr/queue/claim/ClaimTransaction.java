package io.asyncflow.flowsvr.queue.claim;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.TaskAct;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.queue.claim.ClaimLimits.Allowance;
import io.asyncflow.flowsvr.queue.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.pause.PauseStore;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.springframework.stereotype.Component;

/**
 * Takes tasks for several holds in one short transaction. One statement per source locks and reads
 * rows; one statement per table marks them, each with its own holder.
 *
 * <p>A locked row is not yet held. The UPDATE is guarded by the epoch and the modification time of
 * each row as it was read (for rows with equal values, by the latest such time). A row that it does
 * not match is given to no hold.
 *
 * <p>The tasks of one claim must fit into {@link TaskLimits#ANSWER_BYTES}, with all their texts;
 * the others stay waiting. Those were read and locked in vain, so the next claims of the type take
 * at most twice as many tasks as fitted. Thread-safe.
 */
@Component
class ClaimTransaction {

  /** Of tasks that are due at the same time, those that only some workers may hold come first. */
  static final Comparator<TaskRow> DUE_ORDER =
      Comparator.comparingLong(TaskRow::orderTime)
          .thenComparing(row -> row.lane().equals(Lane.OPEN))
          .thenComparingLong(row -> row.id().number());

  private final ClaimStore claims;
  private final TransitionStore transitions;
  private final HoldStore holds;
  private final ClaimLimits limits;
  private final EventLog events;
  private final PauseStore pauseStore;
  private final RetryingTransactions transactions;
  private final TaskPulse pulse;

  /** The most tasks of a claim, for types whose tasks are large. */
  private final Map<TaskType, Integer> maxTasks = new ConcurrentHashMap<>();

  ClaimTransaction(
      ClaimStore claims,
      TransitionStore transitions,
      HoldStore holds,
      ClaimLimits limits,
      EventLog events,
      PauseStore pauseStore,
      RetryingTransactions transactions,
      TaskPulse pulse) {
    this.claims = claims;
    this.transitions = transitions;
    this.holds = holds;
    this.limits = limits;
    this.events = events;
    this.pauseStore = pauseStore;
    this.transactions = transactions;
    this.pulse = pulse;
  }

  /**
   * The result of a claim.
   *
   * @param shares the rows of each hold, after the hold and in due order
   * @param plan how many rows of each range were to be locked
   * @param setAside the number of tasks that were paused, because their jobs are
   * @param isCut whether due tasks may be left that could not be given: they did not fit into the
   *     answer, or no hold could take them together with others
   * @param allowance the allowance of the type's limits
   */
  record Assignment(
      List<List<TaskRow>> shares,
      Map<Range, Integer> plan,
      int setAside,
      boolean isCut,
      Allowance allowance) {

    int tasks() {
      return shares.stream().mapToInt(List::size).sum();
    }

    /** Whether as many tasks were taken, or set aside, as were planned. */
    boolean isComplete() {
      return tasks() + setAside == planned();
    }

    int planned() {
      return plan.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * @param line the holds, first come first served
   * @param plan returns how many tasks to take of each range; its argument is the most that may be
   *     taken
   * @param anyJobPaused whether tasks of paused jobs may be among them; asked after the plan
   * @throws org.springframework.dao.DuplicateKeyException if an earlier delivery of one of the
   *     holds has tasks; then no hold is given any
   */
  Assignment take(
      TaskTypeConfig type,
      List<Claimant> line,
      IntFunction<Map<Range, Integer>> plan,
      BooleanSupplier anyJobPaused) {
    int most = maxTasks.getOrDefault(type.type(), Integer.MAX_VALUE);
    List<TaskTransition> held = new ArrayList<>();
    Assignment assignment =
        transactions.execute(
            () -> {
              held.clear(); // this may be a repeat
              Allowance allowance = limits.lock(type);
              Map<Range, Integer> planned = plan.apply(Math.min(allowance.tasks(), most));
              List<TaskRow> waiting = new ArrayList<>();
              planned.forEach((range, count) -> waiting.addAll(claims.lockDue(range, count)));
              boolean isFull = waiting.size() >= most;
              int setAside = anyJobPaused.getAsBoolean() ? setAside(waiting) : 0;
              waiting.sort(DUE_ORDER);
              List<List<TaskRow>> shares =
                  FairShare.deal(waiting, ClaimTransaction::headOf, line, allowance.tasks());
              boolean isParted = partLost(shares, line);
              boolean isTooLarge = cut(shares) || isFull;
              held.addAll(hold(shares, line, type));
              if (isTooLarge) {
                maxTasks.put(type.type(), 2 * Math.max(1, held.size()));
              }
              limits.spend(type, allowance, held.size());
              return new Assignment(shares, planned, setAside, isParted || isTooLarge, allowance);
            });
    held.forEach(change -> pulse.held(change.before(), change.after().holdTime()));
    return assignment;
  }

  /**
   * Removes the tasks of paused jobs, and pauses them. They have begun to wait after their job was
   * paused: by the end of a hold, for example. The job stays locked, so that its resume finds them.
   *
   * @return their number
   */
  private int setAside(List<TaskRow> waiting) {
    Set<Long> jobs =
        waiting.stream()
            .map(TaskRow::place)
            .filter(Objects::nonNull)
            .map(JobPlace::jobId)
            .collect(toSet());
    if (jobs.isEmpty()) {
      return 0;
    }
    Set<Long> locked = pauseStore.lockPausedJobs(jobs);
    List<TaskRow> aside =
        waiting.stream()
            .filter(row -> row.place() != null && locked.contains(row.place().jobId()))
            .toList();
    transitions.change(
        aside.stream()
            .map(row -> TaskActs.on(TaskAct.PAUSE, row, TaskActs.Arguments.NONE))
            .toList());
    waiting.removeAll(aside);
    return aside.size();
  }

  /** The id of a hold, which all its tasks have. */
  static String newTrace() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  static Head headOf(TaskRow row) {
    Source source = new Source(row.id().table(), row.stage(), row.lane());
    return new Head(source, row.id().number(), row.orderTime(), row.now());
  }

  /**
   * Leaves a hold that {@linkplain Hold#losesAllAtOnce loses all its tasks at once} either its
   * first task alone, if an earlier holder of that was lost, or none of which one was. So a task
   * that ends its workers ends no others.
   *
   * @return whether any task was removed
   */
  private static boolean partLost(List<List<TaskRow>> shares, List<Claimant> line) {
    boolean isAny = false;
    for (int i = 0; i < line.size(); i++) {
      List<TaskRow> share = shares.get(i);
      if (line.get(i).hold().losesAllAtOnce() && !share.isEmpty()) {
        TaskRow first = share.get(0);
        isAny |=
            share.removeIf(
                row -> row != first && (first.deliveryCount() > 0 || row.deliveryCount() > 0));
      }
    }
    return isAny;
  }

  /**
   * Removes the tasks that do not fit into the answer, the last due first. If the upper bound of
   * the size fits, which is the common case, nothing else is computed.
   *
   * @return whether any task was removed
   */
  private static boolean cut(List<List<TaskRow>> shares) {
    List<TaskRow> rows = shares.stream().flatMap(List::stream).toList();
    if (rows.stream().mapToLong(AnswerRoom::bytesAtMost).sum() <= AnswerRoom.BYTES) {
      return false;
    }
    AnswerRoom room = new AnswerRoom();
    Set<TaskId> fitting =
        rows.stream()
            .sorted(DUE_ORDER)
            .takeWhile(row -> room.take(AnswerRoom.bytesOf(row)))
            .map(TaskRow::id)
            .collect(toSet());
    shares.forEach(share -> share.removeIf(row -> !fitting.contains(row.id())));
    return fitting.size() < rows.size();
  }

  /**
   * Gives the tasks to the holds. Of the shares, which have the rows after the hold then, and are
   * in due order, those are removed that another transaction has changed.
   *
   * @return the changes that were written
   */
  private List<TaskTransition> hold(
      List<List<TaskRow>> shares, List<Claimant> line, TaskTypeConfig type) {
    Map<TaskTable, List<TaskTransition>> changes = new TreeMap<>();
    SortedMap<Hold, List<TaskRow>> repeatable = new TreeMap<>(HoldStore.ORDER);
    for (int i = 0; i < line.size(); i++) {
      List<TaskRow> share = shares.get(i);
      if (share.isEmpty()) {
        continue; // skips the cost of a random trace id
      }
      Hold hold = line.get(i).hold();
      String traceId = newTrace();
      long lease = hold.lease(type).toMillis();
      share.sort(DUE_ORDER);
      share.replaceAll(
          row -> {
            TaskRow held = row.held(hold.workerId(), traceId, row.now(), row.now() + lease);
            changes
                .computeIfAbsent(row.id().table(), t -> new ArrayList<>())
                .add(new TaskTransition(row, held, EventKind.HELD, null));
            return held;
          });
      if (hold.isRepeatable()) {
        repeatable.put(hold, share);
      }
    }
    for (Map.Entry<TaskTable, List<TaskTransition>> ofTable : changes.entrySet()) {
      mark(ofTable.getKey(), ofTable.getValue(), shares);
    }
    if (events.keeps(type.type(), EventKind.HELD)) {
      shares.forEach(share -> share.forEach(row -> events.addTask(EventKind.HELD, row, null)));
    }
    repeatable.values().removeIf(List::isEmpty);
    if (!repeatable.isEmpty()) {
      // A worker that lost the answer does not renew the leases, so the row is useless after the
      // first lease. The second lease gives the sweep time.
      holds.insert(repeatable, Leases.firstOfWorkers(type).multipliedBy(2));
    }
    return changes.values().stream().flatMap(List::stream).toList();
  }

  /**
   * Marks rows as held, and removes those that another transaction has changed from the changes and
   * the shares.
   */
  private void mark(TaskTable table, List<TaskTransition> changes, List<List<TaskRow>> shares) {
    changes.sort(Comparator.comparingLong(change -> change.before().id().number()));
    if (claims.markHeld(table, changes) == changes.size()) {
      return;
    }
    List<TaskRow> after = changes.stream().map(TaskTransition::after).toList();
    Set<TaskId> held =
        claims
            .held(
                table,
                after.stream().map(row -> row.id().number()).toList(),
                after.stream().map(TaskRow::traceId).collect(toSet()))
            .stream()
            .map(TaskRow::id)
            .collect(toSet());
    changes.removeIf(change -> !held.contains(change.after().id()));
    shares.forEach(
        share -> share.removeIf(row -> row.id().table().equals(table) && !held.contains(row.id())));
  }
}
