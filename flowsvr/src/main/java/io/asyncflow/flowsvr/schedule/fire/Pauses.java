package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.schedule.core.FireLead;
import io.asyncflow.flowsvr.schedule.core.GapStore;
import io.asyncflow.flowsvr.schedule.core.NoSuchScheduleException;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore.Move;
import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.schedule.fire.Withdrawals.Withdrawn;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.FirePosition.Resumed;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;

/** Pauses schedules, resumes them, and deletes them. Thread-safe. */
@Service
public class Pauses {

  private final ScheduleStore schedules;
  private final GapStore gaps;
  private final Withdrawals withdrawals;
  private final RetryingTransactions transactions;
  private final Events events;
  private final long aheadMs;

  Pauses(
      ScheduleStore schedules,
      GapStore gaps,
      Withdrawals withdrawals,
      RetryingTransactions transactions,
      Events events,
      FireLead lead) {
    this.schedules = schedules;
    this.gaps = gaps;
    this.withdrawals = withdrawals;
    this.transactions = transactions;
    this.events = events;
    this.aheadMs = lead.ms();
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
            schedules.moveLocked(List.of(Move.asked(row, schedule.position().paused(until))));
            join.accept(row);
          }
        });
  }

  private void change(long id, Consumer<Withdrawn> change) {
    withdrawals.change(
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
              schedules.moveLocked(List.of(Move.asked(row, resumed(row, catchUp))));
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
                .ifPresent(
                    now -> schedules.moveLocked(List.of(Move.of(now, resumed(now, false))))));
  }

  private FirePosition resumed(ScheduleRow row, boolean catchUp) {
    Resumed resumed = row.position().resumed(row.rules(), catchUp, row.now(), aheadMs);
    if (resumed.gap() != null) {
      gaps.insert(Map.of(row.id(), List.of(resumed.gap())));
    }
    return resumed.position();
  }

  private static NoSuchScheduleException noSuch(long id) {
    return new NoSuchScheduleException("" + id);
  }
}
