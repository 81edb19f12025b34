package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.schedule.core.FireDayStore;
import io.asyncflow.flowsvr.schedule.core.FireRow;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TransitionStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.stereotype.Component;

/**
 * Changes schedules together with the fires that were made ahead of their time: tasks that no
 * worker has held are cancelled, and their fires are withdrawn.
 *
 * <p>The schedules are locked first, so nothing fires meanwhile, however many they are. Their tasks
 * come after them, against the usual order, and so are not waited for: if another transaction has
 * one, which is rare before its time, all is undone and tried again. Thread-safe.
 */
@Component
public class Withdrawals {

  private static final int PAGE = 1_000;

  private static final Set<TaskStatus> WAITS = Set.of(TaskStatus.WAITING, TaskStatus.PAUSED);

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final FireDayStore days;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;

  Withdrawals(
      ScheduleStore schedules,
      FireStore fires,
      FireDayStore days,
      TaskStore tasks,
      TransitionStore transitions,
      TaskFamilies families,
      RetryingTransactions transactions) {
    this.schedules = schedules;
    this.fires = fires;
    this.days = days;
    this.tasks = tasks;
    this.transitions = transitions;
    this.families = families;
    this.transactions = transactions;
  }

  /**
   * A schedule whose row is locked, and whose future fires are withdrawn.
   *
   * @param row as it is now
   * @param firstWithdrawn epoch ms of the first withdrawn fire; {@code null} if there is none
   * @param lastKept epoch ms of the last fire after now that was not withdrawn, because its task is
   *     held or has ended; {@code null} if there is none
   */
  public record Withdrawn(ScheduleRow row, Long firstWithdrawn, Long lastKept) {}

  /**
   * Changes schedules in one transaction.
   *
   * @param rows as they were read; only their ids count
   * @param change writes the changes of the locked rows, which come in the order of their ids;
   *     schedules that are deleted meanwhile are left out. It may run several times
   */
  public void change(Collection<ScheduleRow> rows, Consumer<List<Withdrawn>> change) {
    List<Long> ids = rows.stream().map(ScheduleRow::id).toList();
    try {
      transactions.execute(
          () -> {
            changeLocked(schedules.lock(ids), change);
            return null;
          });
    } catch (PessimisticLockingFailureException e) { // after attempts for two seconds
      throw new FlowException(
          ErrorCode.CHANGED_MEANWHILE,
          "the schedule or a task of it is in use; try again",
          List.of(),
          e);
    }
  }

  private void changeLocked(List<ScheduleRow> locked, Consumer<List<Withdrawn>> change) {
    Map<Long, List<FireRow>> future = madeAhead(locked);
    List<TaskRow> waiting = lockWaiting(future.values().stream().flatMap(List::stream).toList());
    Set<TaskId> waitingIds = new HashSet<>();
    waiting.forEach(task -> waitingIds.add(task.id()));
    List<Withdrawn> withdrawn = new ArrayList<>();
    List<FireRow> withdrawnFires = new ArrayList<>();
    for (ScheduleRow now : locked) {
      Long first = null;
      Long kept = null;
      for (FireRow fire : future.getOrDefault(now.id(), List.of())) {
        if (waitingIds.contains(fire.run().task())) {
          first = first == null ? (Long) fire.fireTime() : first;
          withdrawnFires.add(fire);
        } else {
          kept = fire.fireTime();
        }
      }
      withdrawn.add(new Withdrawn(now, first, kept));
    }
    transitions.change(waiting.stream().map(TaskTransition::cancelled).toList());
    fires.withdraw(withdrawnFires);
    takeBack(withdrawnFires);
    change.accept(withdrawn);
  }

  /** What was withdrawn does not count, and none of it is the last run. */
  private void takeBack(List<FireRow> withdrawn) {
    if (withdrawn.isEmpty()) {
      return;
    }
    Collection<LocalDate> newestFirst = days.existing().descendingSet();
    withdrawn.stream()
        .collect(groupingBy(FireRow::scheduleId, TreeMap::new, toList()))
        .forEach(
            (id, ofSchedule) -> {
              long first = ofSchedule.get(0).fireTime();
              FireRow last = fires.lastCreated(id, first, newestFirst).orElse(null);
              schedules.takeBack(id, ofSchedule.size(), last);
            });
  }

  /** The fires after now that have a task, by schedule, oldest first. */
  private Map<Long, List<FireRow>> madeAhead(Collection<ScheduleRow> rows) {
    List<ScheduleRow> ofTasks =
        rows.stream().filter(row -> row.problem() == null && !row.rules().makesJobs()).toList();
    long now = ofTasks.stream().mapToLong(ScheduleRow::now).max().orElse(0);
    LocalDate today = FireDayStore.dayOf(now);
    return fires
        .createdAfter(
            ofTasks.stream().map(ScheduleRow::id).toList(), now, List.of(today, today.plusDays(1)))
        .stream()
        .collect(groupingBy(FireRow::scheduleId));
  }

  /**
   * Locks the tasks of these fires; returns those that no worker has held. They are not waited for:
   * whoever ends a run has its task, and may wait for the schedule.
   */
  private List<TaskRow> lockWaiting(List<FireRow> made) {
    Map<TaskTable, List<Long>> numbers =
        made.stream()
            .map(fire -> fire.run().task())
            .filter(task -> families.has(task.table()))
            .collect(groupingBy(TaskId::table, TreeMap::new, mapping(TaskId::number, toList())));
    List<TaskRow> waiting = new ArrayList<>();
    numbers.forEach(
        (table, ofTable) ->
            inPages(
                ofTable,
                page ->
                    tasks.lockAtOnce(table, page).stream()
                        .filter(task -> task.leaseEpoch() == 0 && WAITS.contains(task.status()))
                        .forEach(waiting::add)));
    return waiting;
  }

  /** A statement with too many ids would read the whole table. */
  private static <T> void inPages(List<T> items, Consumer<List<T>> statement) {
    for (int i = 0; i < items.size(); i += PAGE) {
      statement.accept(items.subList(i, Math.min(i + PAGE, items.size())));
    }
  }
}
