package io.asyncflow.flowsvr.base.pulse;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.pulse.failure.FailureNote;
import io.asyncflow.flowsvr.base.pulse.failure.FailureNotes;
import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import org.springframework.util.function.SingletonSupplier;

/**
 * Counts what happens to tasks on this server, by type and stage. To be told after the commit, so
 * none of its methods throws for what a row may hold. Counts in memory alone: two look-ups and some
 * additions, without a lock. Thread-safe.
 *
 * <p>At most {@value #MOST_TYPES} types are counted apart, and {@value #MOST_STAGES} stages of
 * each; all others of a type together as {@link Numbers#OTHER_STAGES}, and all other types as
 * {@link TypeSeries#OTHERS}, of which only Prometheus hears. A stage in which nothing has happened
 * for a minute makes room.
 */
@Component
public class TaskPulse {

  private static final int MOST_TYPES = 200;
  private static final int MOST_STAGES = 32;

  /** Drains without news, at ten seconds each, after which a stage is forgotten. */
  private static final int QUIET_DRAINS = 6;

  private final Map<String, Map<String, StageCounters>> types = new ConcurrentHashMap<>();
  private final FailureNotes failures;
  private final PulseMeters meters;

  /** Of all types beyond the most; Prometheus alone sees them. */
  private final Supplier<StageCounters> otherTypes =
      SingletonSupplier.of(() -> countersOf(TypeSeries.OTHERS, Numbers.OTHER_STAGES));

  /** Those that made room at the last drain; a thread that had found them may still count. */
  private Map<Place, StageCounters> leaving = Map.of();

  TaskPulse(FailureNotes failures, PulseMeters meters) {
    this.failures = failures;
    this.meters = meters;
  }

  /** Tasks of a stage were created. */
  public void created(TaskType type, String stage, int tasks) {
    of(type, stage).count(Count.CREATED, tasks);
  }

  /**
   * A task was held.
   *
   * @param before the row before the hold
   * @param heldAt epoch ms
   */
  public void held(TaskRow before, long heldAt) {
    StageCounters stage = of(before.id().type(), before.stage());
    // A priority gives a task a head start, which is no wait.
    stage.waited(heldAt - Math.max(before.orderTime(), before.modifyTime()));
    stage.count(Count.HELD, 1);
  }

  /** A report was accepted, or the update with which a client without leases ends its hold. */
  public void reported(TaskTransition transition) {
    AfterCommit.runNow(() -> count(transition));
  }

  private void count(TaskTransition transition) {
    TaskRow before = transition.before();
    StageCounters stage = of(before.id().type(), before.stage());
    switch (transition.kind()) {
      case SUCCESS -> {
        ran(stage, Count.SUCCEEDED, before);
        lived(stage, before);
      }
      case NEXT_STAGE -> {
        ran(stage, Count.MOVED_ON, before);
        of(before.id().type(), transition.after().stage()).count(Count.ARRIVED, 1);
      }
      case RETRY -> {
        ran(stage, Count.RETRIED, before);
        failures.add(FailureNote.of(transition, "RETRY"));
      }
      case FAILED -> {
        ran(stage, Count.FAILED, before);
        lived(stage, before);
        String outcome = ScheduleLog.last(transition.after().scheduleLog()).outcome();
        failures.add(FailureNote.of(transition, outcome)); // RETRY if no retry was left
      }
      case SNOOZE, RELEASED -> stage.count(Count.GIVEN_BACK, 1);
      default -> {} // no report ends a hold so
    }
  }

  /** The lease of a hold ran out, or an operator ended it. */
  public void expired(TaskTransition transition, HoldEnd.Verdict verdict) {
    AfterCommit.runNow(() -> count(transition, verdict));
  }

  private void count(TaskTransition transition, HoldEnd.Verdict verdict) {
    TaskRow before = transition.before();
    StageCounters stage = of(before.id().type(), before.stage());
    switch (verdict) {
      case WORKER_LOST, OPERATOR -> stage.count(Count.LOST, 1);
      case TIMED_OUT -> ran(stage, Count.TIMED_OUT, before);
      case POISON -> stage.count(Count.POISONED, 1);
    }
    if (transition.makesFailed()) {
      stage.count(Count.FAILED, 1);
      lived(stage, before);
    }
    failures.add(FailureNote.of(transition, verdict.name()));
  }

  /** A status was set by hand. */
  public void forced(TaskRow before, TaskStatus status) {
    AfterCommit.runNow(() -> count(before, status));
  }

  private void count(TaskRow before, TaskStatus status) {
    StageCounters stage = of(before.id().type(), before.stage());
    if (before.status() == status) {
      return;
    }
    switch (status) {
      case SUCCESS -> {
        stage.count(Count.SUCCEEDED, 1);
        lived(stage, before);
      }
      case CANCELLED -> stage.count(Count.CANCELLED, 1);
      case FAILED -> {
        stage.count(Count.FAILED, 1);
        lived(stage, before);
        failures.add(FailureNote.forced(before));
      }
      default -> {} // it goes on
    }
  }

  private static void ran(StageCounters stage, Count end, TaskRow before) {
    stage.ran(before.now() - before.holdTime());
    stage.count(end, 1);
  }

  private static void lived(StageCounters stage, TaskRow before) {
    stage.lived(before.now() - before.createTime());
  }

  StageCounters of(TaskType type, String stage) {
    Map<String, StageCounters> stages = types.get(type.name());
    StageCounters counters = null;
    if (stages != null) {
      counters = stages.get(stage);
      if (counters == null && stages.size() >= MOST_STAGES) {
        counters = stages.get(Numbers.OTHER_STAGES);
      }
    }
    return counters == null ? added(type, stage) : counters;
  }

  /** Within the look-up of the type, so that it is not forgotten meanwhile. */
  private StageCounters added(TaskType type, String stage) {
    if (types.size() >= MOST_TYPES && !types.containsKey(type.name())) {
      return otherTypes.get();
    }
    StageCounters[] added = new StageCounters[1];
    types.compute(
        type.name(),
        (name, known) -> {
          Map<String, StageCounters> stages = known == null ? new ConcurrentHashMap<>() : known;
          boolean hasRoom = stages.size() < MOST_STAGES || stages.containsKey(stage);
          added[0] =
              stages.computeIfAbsent(
                  hasRoom ? stage : Numbers.OTHER_STAGES, shown -> countersOf(name, shown));
          return stages;
        });
    return added[0];
  }

  private StageCounters countersOf(String type, String stage) {
    return new StageCounters(meters.of(type, stage));
  }

  /** A stage of a type; the stage {@code ""} is all of them. */
  record Place(String type, String stage) {}

  /** What has been counted since the last call, for one caller. */
  Map<Place, Numbers> drain() {
    Map<Place, Numbers> drained = new HashMap<>();
    Map<Place, StageCounters> quiet = new HashMap<>();
    leaving.forEach((place, counters) -> drainInto(drained, place, counters));
    types.forEach(
        (type, stages) ->
            stages.forEach(
                (stage, counters) -> {
                  Place place = new Place(type, stage);
                  drainInto(drained, place, counters);
                  if (counters.quietDrains() > QUIET_DRAINS) {
                    quiet.put(place, counters);
                  }
                }));
    quiet.keySet().forEach(this::forget);
    leaving = quiet;
    return drained;
  }

  private static void drainInto(Map<Place, Numbers> drained, Place place, StageCounters counters) {
    counters
        .drain()
        .ifPresent(
            news -> {
              drained.computeIfAbsent(place, stage -> new Numbers()).addAll(news);
              drained
                  .computeIfAbsent(new Place(place.type(), ""), all -> new Numbers())
                  .addAll(news);
            });
  }

  private void forget(Place place) {
    types.computeIfPresent(
        place.type(),
        (type, stages) -> {
          stages.remove(place.stage());
          return stages.isEmpty() ? null : stages;
        });
  }
}
