package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.JobState;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.FireStore.End;
import io.asyncflow.flowsvr.schedule.core.FireStore.RecordedEnd;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow.Position;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.AfterCommit;
import io.asyncflow.flowsvr.task.TaskLedger;
import io.asyncflow.rules.schedule.RunEffect;
import io.asyncflow.rules.schedule.RunEffect.Ended;
import io.asyncflow.rules.schedule.RunEffect.Standing;
import java.util.Comparator;
import java.util.List;
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

  @Override
  public void record(List<Change> changes) {
    recordEnds(
        changes.stream()
            .filter(
                change -> change.fire() != null && change.from().isFinal() != change.to().isFinal())
            .map(
                change ->
                    new End(
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
            ends.stream().filter(end -> !dependent.contains(end.fire().scheduleId())).toList());
  }

  /** Records the end of a run of a schedule that depends on it. */
  private boolean recordAndFollow(End end) {
    Optional<ScheduleRow> schedule = schedules.lock(end.fire().scheduleId());
    RecordedEnd recorded = fires.recordEnd(end);
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
    Position at = row.position();
    RunEffect.of(
            row.rules(),
            new Standing(row.isActive(), at.lastFireTime(), at.failStreak(), at.lastError()),
            new Ended(
                end.status(),
                end.time() == null ? row.now() : end.time(),
                isLast(row, end),
                end.error()))
        .ifPresent(effect -> write(row, end, effect));
  }

  private void write(ScheduleRow row, End end, RunEffect effect) {
    schedules.recordEnd(row, effect);
    if (effect.isAwaited()) {
      announceAfterCommit();
    }
    if (effect.pauses()) {
      acts.recordOwn(
          Act.of("PAUSE", "schedule:" + row.scheduleId())
              .by(new Reason(OPERATOR, effect.inARow())));
      AfterCommit.run(
          () ->
              log.warn(
                  "schedule {} has paused itself after {}, the last of them {}; it fires when it is"
                      + " resumed",
                  OneLine.of(row.name()),
                  effect.inARow(),
                  end.run()));
    }
  }

  /** A run that has waited may begin now. */
  private void announceAfterCommit() {
    AfterCommit.run(() -> events.publish(new SchedulesChanged()));
  }
}
