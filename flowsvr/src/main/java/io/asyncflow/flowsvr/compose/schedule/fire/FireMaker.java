package io.asyncflow.flowsvr.compose.schedule.fire;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.flowsvr.base.system.Outage;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.fire.FireTransaction.MovedException;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.rules.CodePoints;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireGap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.stereotype.Component;

/**
 * Carries plans out, each by a {@link FireTransaction}.
 *
 * <p>The plans of up to {@value #BATCH} fires commit together. A plan that another server has
 * overtaken, or whose row another transaction has locked, is left out. If a fire has a row already,
 * a target is refused, or a row stays locked, nothing of the batch is committed, and each of its
 * plans is written alone. A lost race is ordinary and leaves no line in the log.
 *
 * <p>A target that cannot be created holds up no other: one that is refused is tried again in a
 * minute, one that cannot be created at the moment in seconds. An outage ends the round.
 * Thread-safe.
 */
@Component
class FireMaker {

  private static final Logger log = LoggerFactory.getLogger(FireMaker.class);

  static final int BATCH = 100;

  /** When a refused target is tried again. */
  private static final long RETRY_MS = 60_000;

  /** When a target is tried again that cannot be created at the moment. */
  private static final long SOON_MS = 5_000;

  private static final int MAX_ERROR = 1_000;

  private final TaskCreator creator;
  private final FireTransaction transaction;
  private final FireMeters meters;

  FireMaker(TaskCreator creator, FireTransaction transaction, FireMeters meters) {
    this.creator = creator;
    this.transaction = transaction;
    this.meters = meters;
  }

  /**
   * Carries these plans out, in batches; returns those that were written.
   *
   * @throws FlowException if this server can create nothing now, which is no fault of a target
   */
  List<PlannedSchedule> make(List<PlannedSchedule> plans) {
    if (!plans.isEmpty()) {
      creator.requireNumbers();
    }
    List<PlannedSchedule> made = new ArrayList<>();
    List<PlannedSchedule> batch = new ArrayList<>();
    int size = 0;
    for (PlannedSchedule plan : plans) {
      if (plan.isOfJobs()) {
        made.addAll(makeAlone(plan));
        continue;
      }
      int added = Math.max(1, plan.times().size());
      if (size + added > BATCH) {
        made.addAll(makeTogether(batch));
        batch = new ArrayList<>();
        size = 0;
      }
      batch.add(plan);
      size += added;
    }
    made.addAll(makeTogether(batch));
    return made;
  }

  /** Writes what no other server has overtaken. */
  private List<PlannedSchedule> makeTogether(List<PlannedSchedule> batch) {
    List<PlannedSchedule> left = batch;
    while (!left.isEmpty()) {
      try {
        write(left, Map.of());
        return left;
      } catch (MovedException e) {
        meters.lost(e.ids().size());
        left = left.stream().filter(plan -> !e.ids().contains(plan.row().id())).toList();
      } catch (RuntimeException e) {
        if (!(e instanceof PessimisticLockingFailureException) && isOutage(e)) {
          throw e;
        }
        return left.stream().map(this::makeAlone).flatMap(List::stream).toList();
      }
    }
    return left;
  }

  private void write(List<PlannedSchedule> batch, Map<Long, FireOutcome> earlier) {
    transaction.make(batch, earlier);
    batch.forEach(this::count);
  }

  /** Writes a plan by itself: it may find fires that were made by hand or were withdrawn. */
  private List<PlannedSchedule> makeAlone(PlannedSchedule planned) {
    ScheduleRow row = planned.row();
    try {
      Map<Long, FireOutcome> earlier = transaction.outcomes(row.id(), planned.times());
      // A trigger leaves the fire times of a plan free; but a schedule that fires after the end of
      // its last run may get the time of a trigger just afterwards, and has to make its own run.
      boolean isTaken = row.rules().afterMs() != null && earlier.containsValue(FireOutcome.CREATED);
      PlannedSchedule plan = isTaken ? planned.aMillisecondLater() : planned;
      write(List.of(plan), earlier);
      return List.of(plan);
    } catch (MovedException | DuplicateKeyException | PessimisticLockingFailureException e) {
      meters.lost(1); // the next look finds what is left
    } catch (RuntimeException e) {
      if (isOutage(e)) {
        throw e;
      }
      if (isOfTarget(e)) {
        refuse(row, messageOf(e), SOON_MS, List.of(), planned.epoch());
      } else {
        refuse(row, messageOf(e), RETRY_MS, planned.creations(), planned.epoch());
      }
    }
    return List.of();
  }

  /** Whether no plan can be written now; a failure that one target has says nothing of others. */
  private static boolean isOutage(RuntimeException e) {
    return !isOfTarget(e) && Outage.of(e).isPresent();
  }

  private static boolean isOfTarget(RuntimeException e) {
    return e instanceof FlowException failure && failure.retryable();
  }

  private static String messageOf(RuntimeException e) {
    return CodePoints.cut(e.getMessage() == null ? e.toString() : e.getMessage(), MAX_ERROR);
  }

  /** Does something for a schedule; sets it aside for a minute if that fails, but for an outage. */
  void tryFor(ScheduleRow row, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) { // one schedule must not stop the others
      if (isOutage(e)) {
        throw e;
      }
      refuse(row, messageOf(e));
    }
  }

  /** Sets a schedule aside for a minute, because of this. */
  void refuse(ScheduleRow row, String why) {
    refuse(row, why, RETRY_MS, List.of(), row.sliceEpoch());
  }

  /**
   * Records why a schedule creates nothing. The fire times stay without a run; they are tried
   * again, as long as the catch-up policy allows.
   */
  private void refuse(ScheduleRow row, String why, long againMs, List<Long> times, long epoch) {
    if (transaction.refuse(row, why, row.now() + againMs, times, epoch)) {
      log.warn(
          "schedule {} creates nothing, and will be tried again in {} s: {}",
          row.name(),
          againMs / 1_000,
          why);
      meters.fired(typeOf(row), FireOutcome.REFUSED, times.size());
    }
  }

  private void count(PlannedSchedule plan) {
    Optional<TaskType> type = typeOf(plan.row());
    List<Long> creations = plan.creations();
    meters.fired(type, FireOutcome.CREATED, creations.size());
    meters.fired(type, FireOutcome.SKIPPED, plan.times().size() - creations.size());
    creations.forEach(time -> meters.late(plan.row().now() - time));
    for (FireGap gap : plan.plan().gaps()) {
      meters.passed(type, gap.reason(), gap.fires());
    }
  }

  /** The type of the tasks, or of the split of the jobs; none if the row was broken by hand. */
  private static Optional<TaskType> typeOf(ScheduleRow row) {
    NewTask task = row.definition().taskData();
    NewJob job = row.definition().jobData();
    return TaskType.parse(job != null ? job.jobType() : task != null ? task.taskType() : null);
  }
}
