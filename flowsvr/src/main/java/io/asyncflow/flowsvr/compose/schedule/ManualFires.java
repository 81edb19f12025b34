package io.asyncflow.flowsvr.compose.schedule;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.flowsvr.compose.schedule.core.Run;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.fire.FireTransaction;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.field.ScheduleFields;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireTimes;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/** Fires beside the plan: one now, or those of the past that have no run. Thread-safe. */
@Service
class ManualFires {

  /** Fires of a backfill in one transaction. */
  private static final int BATCH = 100;

  private static final int MAX_ATTEMPTS = 20;

  private final TaskTypes types;
  private final FireTransaction transaction;
  private final Duration history;

  ManualFires(
      TaskTypes types,
      FireTransaction transaction,
      @Value("${flow.schedule.history:7d}") Duration history) {
    this.types = types;
    this.transaction = transaction;
    this.history = history;
  }

  /**
   * Creates the task or the job of a schedule now, whatever its state and its last run.
   *
   * @param key the same key gives the same run; {@code null} for none
   * @param join further work in the transaction that creates it
   */
  TriggeredRun trigger(ScheduleRow schedule, String key, Runnable join) {
    requireReadable(schedule);
    long fireTime = schedule.now() - 1;
    for (int attempt = 0; ; attempt++) {
      fireTime = unplanned(schedule, fireTime + 1);
      try {
        Run run = transaction.makeByHand(schedule, List.of(fireTime), key, Map::of, join).get(0);
        return run.task() == null
            ? new TriggeredRun(null, run.toString())
            : new TriggeredRun(run.toString(), null);
      } catch (DuplicateKeyException e) {
        // A fire of this very millisecond has a row already.
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * The first time from {@code time} on that is no fire time of the plan, which keeps its place.
   */
  private static long unplanned(ScheduleRow schedule, long time) {
    return schedule.rules().isPlanned(time, schedule.position().nextFireTime()) ? time + 1 : time;
  }

  /**
   * Makes the fires of the past that created nothing: missed, skipped, withdrawn or refused ones.
   *
   * @throws RateExceededException if the user has created too many tasks to make even one
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if it begins before the history, or
   *     if the schedule has no fire times of its own
   */
  Backfilled backfill(ScheduleRow schedule, ScheduleFields.Backfill asked, Runnable join) {
    requireReadable(schedule);
    FireTimes times = schedule.rules().times();
    if (times == null) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          "schedule " + schedule.name() + " has no fire times: it fires after its last run");
    }
    if (asked.from() < schedule.now() - history.toMillis()) {
      FieldError error =
          new FieldError("from", "is older than the history of " + history.toDays() + " days");
      throw new FlowException(
          ErrorCode.INVALID_INPUT, "from " + error.message(), List.of(error), null);
    }
    long end = Math.min(asked.to(), schedule.now());
    // One at a time, or the limit of the user would refuse all; and a job has its own transaction.
    boolean isOneByOne =
        schedule.rules().makesJobs()
            || types.require(ScheduleRules.targetType(schedule.definition())).userRateLimit() > 0;
    int made = 0;
    long next = asked.from();
    for (int looked = 0; next < end && made < asked.limit() && looked < FirePlan.MAX_STEPS; ) {
      List<Long> page = times.after(next - 1, end, BATCH);
      if (page.isEmpty()) {
        return new Backfilled(made, null);
      }
      List<Long> missing = missing(schedule, page);
      int room = Math.min(isOneByOne ? 1 : asked.limit() - made, missing.size());
      try {
        make(schedule, missing.subList(0, room), made == 0 ? join : () -> {});
      } catch (DuplicateKeyException e) {
        looked += BATCH;
        continue; // another server or call has made one of them: they are looked at again
      } catch (RateExceededException e) {
        if (made == 0) {
          throw e;
        }
        return new Backfilled(made, next);
      }
      made += room;
      boolean isWhole = room == missing.size();
      looked += isWhole ? BATCH : 0;
      next = (isWhole ? page.get(page.size() - 1) : missing.get(room - 1)) + 1;
    }
    boolean isMore = next < end && times.next(next - 1).orElse(end) < end;
    return new Backfilled(made, isMore ? (Long) next : null);
  }

  /** Those of these fire times that have no run. */
  private List<Long> missing(ScheduleRow schedule, List<Long> times) {
    Map<Long, FireOutcome> earlier = transaction.outcomes(schedule.id(), times);
    return times.stream().filter(time -> earlier.get(time) != FireOutcome.CREATED).toList();
  }

  private void make(ScheduleRow schedule, List<Long> times, Runnable join) {
    if (!times.isEmpty()) {
      transaction.makeByHand(
          schedule, times, null, () -> transaction.outcomes(schedule.id(), times), join);
    }
  }

  private static void requireReadable(ScheduleRow schedule) {
    if (schedule.problem() != null) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT, "schedule " + schedule.name() + ": " + schedule.problem());
    }
  }
}
