package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.JobState;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.FireStore.RecordedEnd;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.AfterCommit;
import io.asyncflow.flowsvr.task.TaskLedger;
import io.asyncflow.rules.FireId;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Records the ends of the runs that fires created, in the transaction that ends them, and what
 * follows for schedules that depend on ends: the next fire after a pause, a run that has waited, a
 * schedule that pauses itself.
 *
 * <p>Lock order: tasks, jobs, then schedules by id, then fires. So it comes after the ledger of
 * jobs. Thread-safe.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
class RunEnds implements TaskLedger {

  private static final Logger log = LoggerFactory.getLogger(RunEnds.class);

  /** Of acts that the server does by itself. */
  private static final String OPERATOR = "flowsvr";

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final Acts acts;
  private final Events events;

  RunEnds(ScheduleStore schedules, FireStore fires, Acts acts, Events events) {
    this.schedules = schedules;
    this.fires = fires;
    this.acts = acts;
    this.events = events;
  }

  /**
   * A run that has ended, or that lives again.
   *
   * @param status the final status; {@code null} if the run lives again
   * @param time epoch ms; {@code null} if it is now, in this transaction
   * @param error why it failed, for people; {@code null} if it did not
   */
  record End(FireId fire, Run run, TaskStatus status, Long time, String error) {

    private FireStore.End row() {
      return new FireStore.End(fire, run, status == null ? null : status.code(), time);
    }

    static End of(FireId fire, Run run, TaskStatus status, Long time) {
      String error =
          status == TaskStatus.FAILED
              ? (run.task() == null ? "job " : "task ") + run + " failed"
              : null;
      return new End(fire, run, status, time, error);
    }
  }

  @Override
  public void record(List<Change> changes) {
    recordEnds(
        changes.stream()
            .filter(
                change -> change.fire() != null && change.from().isFinal() != change.to().isFinal())
            .map(
                change ->
                    End.of(
                        change.fire(),
                        Run.of(change.id()),
                        change.to().isFinal() ? change.to() : null,
                        null))
            .toList());
  }

  /** The status in which a job counts as ended; {@code null} while it lives. */
  static TaskStatus statusOf(JobState state) {
    return switch (state) {
      case SUCCESS -> TaskStatus.SUCCESS;
      case FAILED -> TaskStatus.FAILED;
      case CANCELLED -> TaskStatus.CANCELLED;
      default -> null;
    };
  }

  /** Records ends in the caller's transaction; returns how many were not recorded before. */
  int recordEnds(List<End> ends) {
    if (ends.isEmpty()) {
      return 0;
    }
    Set<Long> dependent =
        schedules.dependingOnEnds(
            ends.stream().map(end -> end.fire().scheduleId()).collect(toSet()),
            ends.stream().anyMatch(end -> end.status() != TaskStatus.CANCELLED));
    List<End> sorted =
        ends.stream()
            .filter(end -> dependent.contains(end.fire().scheduleId()))
            .sorted(Comparator.comparingLong(end -> end.fire().scheduleId()))
            .toList();
    int recorded = 0;
    for (End end : sorted) {
      recorded += recordAndFollow(end) ? 1 : 0;
    }
    return recorded
        + fires.recordEnds(
            ends.stream()
                .filter(end -> !dependent.contains(end.fire().scheduleId()))
                .map(End::row)
                .toList());
  }

  /** Records the end of a run of a schedule that depends on it. */
  private boolean recordAndFollow(End end) {
    Optional<ScheduleRow> schedule = schedules.lock(end.fire().scheduleId());
    RecordedEnd recorded = fires.recordEnd(end.row());
    boolean isNew =
        recorded == RecordedEnd.NEW
            || schedule.isPresent() && isNew(schedule.get(), end, recorded == RecordedEnd.DROPPED);
    if (isNew) {
      schedule.ifPresent(row -> recordIn(row, end));
    }
    return isNew;
  }

  /**
   * Whether a schedule does not know of this end, although the fire says nothing of it. The end of
   * a task is recorded once, in the transaction that writes it. The end of a job may be recorded
   * again, so it is new only while the schedule waits for it.
   */
  private static boolean isNew(ScheduleRow row, End end, boolean isDropped) {
    boolean isAwaited =
        row.problem() == null
            && row.rules().afterMs() != null
            && row.state() != ScheduleState.ENDED
            && row.position().nextFireTime() == null
            && isLast(row, end);
    return isAwaited || isDropped && end.time() == null;
  }

  private static boolean isLast(ScheduleRow row, End end) {
    return end.run().toString().equals(row.position().lastRun());
  }

  private void recordIn(ScheduleRow row, End end) {
    if (end.status() == null || row.problem() != null) {
      return;
    }
    boolean isLast = isLast(row, end);
    boolean isPaced = row.rules().afterMs() != null;
    boolean isAwaited = isLast && (isPaced || row.definition().overlap() == Overlap.WAIT);
    if (end.status() == TaskStatus.CANCELLED && !isAwaited) {
      return; // neither a failure nor a success
    }
    int streak =
        switch (end.status()) {
          case SUCCESS -> 0;
          case FAILED -> row.position().failStreak() + 1;
          default -> row.position().failStreak();
        };
    int most = row.rules().pauseAfterFailures();
    long endedAt = end.time() == null ? row.now() : end.time();
    Long next =
        isPaced && isLast
            ? (Long)
                row.afterLastFire(
                    row.rules().nextAfterEnd(row.position().lastFireTime(), endedAt, streak))
            : null;
    boolean pauses = most > 0 && streak >= most && row.isActive();
    String error = pauses ? whyPaused(end, streak) : end.error();
    boolean isChange =
        streak != row.position().failStreak() || !Objects.equals(error, row.position().lastError());
    if (!isAwaited && !isChange) {
      return; // a success after a success, as most are
    }
    schedules.recordEnd(row, streak, pauses, isAwaited, next, error);
    if (isAwaited) {
      announceAfterCommit();
    }
    if (pauses) {
      acts.recordOwn(
          Act.of("PAUSE", "schedule:" + row.scheduleId()).by(new Reason(OPERATOR, inARow(streak))));
      AfterCommit.run(
          () ->
              log.warn(
                  "schedule {} has paused itself after {}, the last of them {}; it fires when it is"
                      + " resumed",
                  OneLine.of(row.name()),
                  inARow(streak),
                  end.run()));
    }
  }

  private static String whyPaused(End end, int streak) {
    return (end.error() == null ? "" : end.error() + "; ") + "paused after " + inARow(streak);
  }

  private static String inARow(int streak) {
    return streak == 1 ? "1 failed run" : streak + " failed runs in a row";
  }

  /** A run that has waited may begin now. */
  private void announceAfterCommit() {
    AfterCommit.run(() -> events.publish(new SchedulesChanged()));
  }
}
