package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.partitioningBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.FireRow;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.NoSuchScheduleException;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Move;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.FirePosition.Fired;
import io.asyncflow.rules.schedule.FirePosition.Resumed;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.stereotype.Component;

/**
 * Changes schedules by calls: pauses, resumes, deletes and redefines them, together with the fires
 * that were made ahead of their time: tasks that no worker has held are cancelled, and their fires
 * are withdrawn.
 *
 * <p>The schedules are locked first, so nothing fires meanwhile, however many they are. Their tasks
 * come after them, against the usual order, and so are not waited for: if another transaction has
 * one, which is rare before its time, all is undone and tried again. Thread-safe.
 */
@Component
public class ScheduleChanges {

  private static final Set<TaskStatus> WAITS = Set.of(TaskStatus.WAITING, TaskStatus.PAUSED);

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final FireTransaction transaction;
  private final RetryingTransactions transactions;
  private final Events events;
  private final long aheadMs;

  ScheduleChanges(
      ScheduleStore schedules,
      FireStore fires,
      FireTransaction transaction,
      RetryingTransactions transactions,
      Events events,
      FireLead lead) {
    this.schedules = schedules;
    this.fires = fires;
    this.transaction = transaction;
    this.transactions = transactions;
    this.events = events;
    this.aheadMs = lead.ms();
  }

  /**
   * A schedule whose row is locked, and whose future fires are withdrawn.
   *
   * @param row as it is now
   * @param position where it stands when what was withdrawn is taken back, which the change writes
   * @param firstWithdrawn epoch ms of the first withdrawn fire; {@code null} if there is none
   * @param lastKept epoch ms of the last fire after now that was not withdrawn, because its task is
   *     held or has ended; {@code null} if there is none
   */
  public record Withdrawn(
      ScheduleRow row, FirePosition position, Long firstWithdrawn, Long lastKept) {}

  /**
   * Changes schedules in one transaction.
   *
   * @param change writes the changes of the locked rows, which come in the order of their ids;
   *     schedules that are deleted meanwhile are left out. It may run several times
   */
  public void change(Collection<Long> ids, Consumer<List<Withdrawn>> change) {
    try {
      transactions.run(() -> changeLocked(schedules.lock(ids), change));
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
    Set<TaskId> cancelled =
        transaction.cancel(
            future.values().stream().flatMap(List::stream).map(fire -> fire.run().task()),
            task -> task.leaseEpoch() == 0 && WAITS.contains(task.status()));
    // The end of a run may have moved its schedule.
    List<ScheduleRow> rows =
        cancelled.isEmpty()
            ? locked
            : schedules.lock(locked.stream().map(ScheduleRow::id).toList());
    Collection<LocalDate> newestFirst =
        cancelled.isEmpty() ? List.of() : fires.existing().descendingSet();
    List<Withdrawn> withdrawn = new ArrayList<>();
    List<FireRow> withdrawnFires = new ArrayList<>();
    for (ScheduleRow row : rows) {
      Map<Boolean, List<FireRow>> byFate =
          future.getOrDefault(row.id(), List.of()).stream()
              .collect(partitioningBy(fire -> cancelled.contains(fire.run().task())));
      List<FireRow> kept = byFate.get(false);
      Long lastKept = kept.isEmpty() ? null : (Long) kept.get(kept.size() - 1).fireTime();
      withdrawnFires.addAll(byFate.get(true));
      withdrawn.add(takeBack(row, byFate.get(true), lastKept, newestFirst));
    }
    fires.withdraw(withdrawnFires);
    change.accept(withdrawn);
  }

  /** What was withdrawn does not count, and none of it is the last run. */
  private Withdrawn takeBack(
      ScheduleRow row, List<FireRow> withdrawn, Long lastKept, Collection<LocalDate> newestFirst) {
    if (withdrawn.isEmpty()) {
      return new Withdrawn(row, row.position(), null, lastKept);
    }
    long first = withdrawn.get(0).fireTime();
    Fired last =
        fires.newest(row.id(), first, 1, true, newestFirst).stream()
            .map(FireRow::fired)
            .findFirst()
            .orElse(null);
    return new Withdrawn(
        row, row.position().takenBack(withdrawn.size(), first, last), first, lastKept);
  }

  /** The fires after now that have a task, by schedule, oldest first. */
  private Map<Long, List<FireRow>> madeAhead(Collection<ScheduleRow> rows) {
    List<ScheduleRow> ofTasks =
        rows.stream().filter(row -> row.problem() == null && !row.rules().makesJobs()).toList();
    long now = ofTasks.stream().mapToLong(ScheduleRow::now).max().orElse(0);
    LocalDate today = FireStore.dayOf(now);
    return fires
        .createdAfter(
            ofTasks.stream().map(ScheduleRow::id).toList(), now, List.of(today, today.plusDays(1)))
        .stream()
        .collect(groupingBy(FireRow::scheduleId));
  }

  /**
   * Pauses a schedule. After the return no task of a later fire time can be claimed, but for those
   * that a worker has held.
   *
   * @param until epoch ms; {@code null} for a pause that only a resume ends
   * @param join further work in the transaction, with the schedule before the pause
   */
  public void pause(long id, Long until, Consumer<ScheduleRow> join) {
    change(
        id,
        schedule -> {
          ScheduleRow row = schedule.row();
          if (row.state() != ScheduleState.ENDED || schedule.firstWithdrawn() != null) {
            schedules.move(List.of(Move.asked(row, schedule.position().paused(until))));
            join.accept(row);
          }
        });
  }

  private void change(long id, Consumer<Withdrawn> change) {
    change(
        List.of(id),
        changed -> change.accept(changed.stream().findFirst().orElseThrow(() -> noSuch(id))));
  }

  /**
   * Deletes a schedule. Runs that have begun go on, and the history stays until its days are
   * dropped.
   *
   * @param join further work in the transaction, with the schedule before it is deleted
   */
  public void delete(long id, Consumer<ScheduleRow> join) {
    change(
        id,
        schedule -> {
          join.accept(schedule.row());
          schedules.delete(id);
        });
  }

  /**
   * Resumes a paused schedule; does nothing if it is not paused.
   *
   * @param catchUp whether the catch-up policy decides about the fire times of the pause; otherwise
   *     they become a gap
   * @param join further work in the transaction, with the schedule before the resume
   */
  public void resume(long id, boolean catchUp, Consumer<ScheduleRow> join) {
    boolean isResumed =
        transactions.execute(
            () -> {
              ScheduleRow row = schedules.lock(id).orElseThrow(() -> noSuch(id));
              if (row.state() != ScheduleState.PAUSED) {
                return false;
              }
              schedules.move(List.of(Move.asked(row, resumed(row, catchUp))));
              join.accept(row);
              return true;
            });
    if (isResumed) {
      events.publish(new SchedulesChanged());
    }
  }

  /** Resumes a schedule whose pause had a time that has come. */
  void resumeAfterTime(ScheduleRow row) {
    transactions.run(
        () ->
            schedules
                .lockUnlessLocked(row.id())
                .filter(now -> now.fence() == row.fence())
                .filter(now -> now.position().pauseUntil() != null)
                .ifPresent(now -> schedules.move(List.of(Move.of(now, resumed(now, false))))));
  }

  private FirePosition resumed(ScheduleRow row, boolean catchUp) {
    Resumed resumed = row.position().resumed(row.rules(), catchUp, row.now(), aheadMs);
    if (resumed.gap() != null) {
      fires.insertGaps(Map.of(row.id(), List.of(resumed.gap())));
    }
    return resumed.position();
  }

  private static NoSuchScheduleException noSuch(long id) {
    return new NoSuchScheduleException("" + id);
  }
}
