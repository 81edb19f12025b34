package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.groupingBy;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.flowsvr.compose.job.core.JobLedger;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore.End;
import io.asyncflow.flowsvr.compose.schedule.core.Run;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Move;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.task.row.TaskLedger;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.RunEffect;
import io.asyncflow.rules.schedule.RunEffect.Ended;
import java.util.List;
import java.util.Map;
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
 * jobs, which tells it of the ends of jobs. Thread-safe.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
class RunEnds implements TaskLedger, JobLedger {

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
  public void record(List<TaskTransition> changes) {
    recordEnds(
        changes.stream()
            .filter(
                change ->
                    change.after().fire() != null
                        && change.before().status().isFinal() != change.after().status().isFinal())
            .map(TaskTransition::after)
            .map(
                row ->
                    new End(
                        row.fire(),
                        Run.of(row.id()),
                        row.status().isFinal() ? row.status() : null,
                        null))
            .toList());
  }

  @Override
  public void ended(List<JobRow> jobs) {
    recordEnds(
        jobs.stream()
            .filter(job -> job.fire() != null)
            .map(
                job ->
                    new End(
                        job.fire(),
                        Run.ofJob(job.id()),
                        TaskStatus.valueOf(job.state().name()),
                        job.endTime()))
            .toList());
  }

  private void recordEnds(List<End> ends) {
    if (ends.isEmpty()) {
      return;
    }
    Map<Long, List<End>> bySchedule =
        ends.stream().collect(groupingBy(end -> end.fire().scheduleId()));
    Set<Long> dependent =
        schedules.dependingOnEnds(
            bySchedule.keySet(),
            ends.stream().anyMatch(end -> end.status() != TaskStatus.CANCELLED));
    List<ScheduleRow> locked = schedules.lock(dependent);
    Set<End> recorded = fires.recordEnds(ends);
    for (ScheduleRow row : locked) {
      FirePosition to = row.position();
      for (End end : bySchedule.get(row.id())) {
        if (isAwaited(row, to, end)) {
          recorded.add(end);
        }
        to = recorded.contains(end) ? after(row, to, end) : to;
      }
      if (!to.equals(row.position())) {
        schedules.move(List.of(Move.of(row, to)));
      }
    }
  }

  /**
   * Whether a schedule waits for this end, although the fire may know of it: the end of a job may
   * be recorded again.
   */
  private static boolean isAwaited(ScheduleRow row, FirePosition at, End end) {
    return row.problem() == null
        && row.rules().afterMs() != null
        && at.state() != ScheduleState.ENDED
        && at.nextFireTime() == null
        && end.run().toString().equals(at.lastRun());
  }

  private FirePosition after(ScheduleRow row, FirePosition at, End end) {
    if (end.status() == null || row.problem() != null) {
      return at;
    }
    long time = end.time() == null ? row.now() : end.time();
    Ended ended = new Ended(end.run().toString(), end.status(), time, end.error());
    Optional<RunEffect> effect = RunEffect.of(row.rules(), at, ended, row.now());
    effect.ifPresent(found -> announce(row, end, found));
    return effect.map(RunEffect::after).orElse(at);
  }

  private void announce(ScheduleRow row, End end, RunEffect effect) {
    if (effect.isAwaited()) { // a run that has waited may begin now
      AfterCommit.run(() -> events.publish(new SchedulesChanged()));
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
}
