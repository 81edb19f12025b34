package io.asyncflow.flowsvr.schedule;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.job.core.JobCreator;
import io.asyncflow.flowsvr.schedule.core.FireDayStore;
import io.asyncflow.flowsvr.schedule.core.FireRow;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleDefinitions;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktype.SealedTexts;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.error.RateExceededException;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireTimes;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
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
  private final ScheduleStore schedules;
  private final FireStore fires;
  private final FireDayStore days;
  private final TaskCreator creator;
  private final JobCreator jobs;
  private final TaskStore tasks;
  private final SealedTexts sealedTexts;
  private final Node node;
  private final Duration history;

  ManualFires(
      TaskTypes types,
      ScheduleStore schedules,
      FireStore fires,
      FireDayStore days,
      TaskCreator creator,
      JobCreator jobs,
      TaskStore tasks,
      SealedTexts sealedTexts,
      Node node,
      @Value("${flow.schedule.history:7d}") Duration history) {
    this.types = types;
    this.schedules = schedules;
    this.fires = fires;
    this.days = days;
    this.creator = creator;
    this.jobs = jobs;
    this.tasks = tasks;
    this.sealedTexts = sealedTexts;
    this.node = node;
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
    sealedTexts.check(schedule.definition(), "scheduleData");
    days.ensure(
        List.of(FireDayStore.dayOf(schedule.now()), FireDayStore.dayOf(schedule.now() + 1_000)));
    long fireTime = schedule.now() - 1;
    for (int attempt = 0; ; attempt++) {
      fireTime = unplanned(schedule, fireTime + 1);
      try {
        return schedule.rules().makesJobs()
            ? triggerJob(schedule, key, fireTime, join)
            : triggerTask(schedule, key, fireTime, join);
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
    FireTimes times = schedule.rules().times();
    Long next = schedule.position().nextFireTime();
    boolean isPlanned =
        times == null ? next != null && next == time : times.next(time - 1).orElse(-1) == time;
    return isPlanned ? time + 1 : time;
  }

  private TriggeredRun triggerTask(ScheduleRow schedule, String key, long fireTime, Runnable join) {
    TaskDraft draft = withKey(draft(schedule, fireTime), key);
    TaskId id =
        creator
            .create(
                CreateCall.of(List.of(draft))
                    .byUsers()
                    .and(
                        ids -> {
                          if (isOf(new FireId(schedule.id(), fireTime), ids.get(0))) {
                            record(schedule, fireTime, Run.of(ids.get(0)), join);
                          }
                        }))
            .get(0);
    return new TriggeredRun(id.toString(), null);
  }

  /** Whether this fire created a task, and not an earlier call with the same key. */
  private boolean isOf(FireId fire, TaskId id) {
    return tasks.find(id).filter(task -> fire.equals(task.fire())).isPresent();
  }

  private TriggeredRun triggerJob(ScheduleRow schedule, String key, long fireTime, Runnable join) {
    NewJob job = schedule.definition().jobData();
    long id =
        jobs.create(
            key == null ? job : job.withIdempotencyKey(key),
            new FireId(schedule.id(), fireTime),
            true,
            created -> record(schedule, fireTime, Run.ofJob(created), join));
    return new TriggeredRun(null, Long.toString(id));
  }

  private void record(ScheduleRow schedule, long fireTime, Run run, Runnable join) {
    schedules.countFires(schedule.id(), 1);
    fires.insert(List.of(row(schedule, fireTime, run)));
    join.run();
  }

  private FireRow row(ScheduleRow schedule, long fireTime, Run run) {
    return FireRow.created(schedule, fireTime, run, node.id(), schedule.sliceEpoch()).byHand();
  }

  /** A task that is due at once. */
  private static TaskDraft draft(ScheduleRow schedule, long fireTime) {
    return ScheduleDefinitions.draft(schedule, fireTime, null);
  }

  private static TaskDraft withKey(TaskDraft draft, String key) {
    return key == null ? draft : draft.withIdempotencyKey(key);
  }

  /**
   * Makes the fires of the past that created nothing: missed, skipped, withdrawn or refused ones.
   *
   * @param from epoch ms, inclusive
   * @param to epoch ms, exclusive
   * @param limit the most fires to make
   * @throws RateExceededException if the user has created too many tasks to make even one
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if {@code from} is older than the
   *     history, or if the schedule has no fire times of its own
   */
  Backfilled backfill(ScheduleRow schedule, long from, long to, int limit, Runnable join) {
    requireReadable(schedule);
    sealedTexts.check(schedule.definition(), "scheduleData");
    FireTimes times = schedule.rules().times();
    if (times == null) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          "schedule " + schedule.name() + " has no fire times: it fires after its last run");
    }
    if (from < schedule.now() - history.toMillis()) {
      FieldError error =
          new FieldError("from", "is older than the history of " + history.toDays() + " days");
      throw new FlowException(
          ErrorCode.INVALID_INPUT, "from " + error.message(), List.of(error), null);
    }
    long end = Math.min(to, schedule.now());
    boolean isCharged =
        types.require(ScheduleRules.targetType(schedule.definition())).userRateLimit() > 0;
    int made = 0;
    long next = from;
    for (int looked = 0; next < end && made < limit && looked < FirePlan.MAX_STEPS; ) {
      List<Long> page = times.after(next - 1, end, BATCH);
      looked += BATCH;
      if (page.isEmpty()) {
        return new Backfilled(made, null);
      }
      int room = isCharged ? 1 : limit - made;
      List<Long> missing = missing(schedule, page);
      List<Long> chosen = missing.subList(0, Math.min(room, missing.size()));
      try {
        made += make(schedule, chosen, made == 0 ? join : () -> {});
      } catch (RateExceededException e) {
        if (made == 0) {
          throw e;
        }
        return new Backfilled(made, next);
      }
      next =
          (chosen.size() < missing.size()
                  ? chosen.get(chosen.size() - 1)
                  : page.get(page.size() - 1))
              + 1;
    }
    boolean isMore = next < end && times.next(next - 1).orElse(end) < end;
    return new Backfilled(made, isMore ? (Long) next : null);
  }

  /** Those of these fire times that have no run. */
  private List<Long> missing(ScheduleRow schedule, List<Long> times) {
    Map<Long, FireOutcome> fates = fates(schedule, times);
    return times.stream().filter(time -> fates.get(time) != FireOutcome.CREATED).toList();
  }

  private Map<Long, FireOutcome> fates(ScheduleRow schedule, List<Long> times) {
    long first = times.get(0);
    long last = times.get(times.size() - 1);
    return fires.between(schedule.id(), first, last + 1, daysOf(times)).stream()
        .collect(toMap(FireRow::fireTime, FireRow::outcome));
  }

  private static TreeSet<LocalDate> daysOf(List<Long> times) {
    TreeSet<LocalDate> days = new TreeSet<>();
    times.forEach(time -> days.add(FireDayStore.dayOf(time)));
    return days;
  }

  /** Makes fires; returns how many. Another server or call may make some of them first. */
  private int make(ScheduleRow schedule, List<Long> times, Runnable join) {
    if (times.isEmpty()) {
      return 0;
    }
    days.ensure(daysOf(times));
    if (!schedule.rules().makesJobs()) {
      try {
        makeTasks(schedule, times, join);
        return times.size();
      } catch (DuplicateKeyException | MadeMeanwhileException e) {
        // Those that no other call has made are made one by one.
      }
    }
    int made = 0;
    for (long time : times) {
      made += makeOne(schedule, time, made == 0 ? join : () -> {}) ? 1 : 0;
    }
    return made;
  }

  /** Makes one fire; returns false if another call has made it. */
  private boolean makeOne(ScheduleRow schedule, long time, Runnable join) {
    try {
      if (schedule.rules().makesJobs()) {
        makeJob(schedule, time, join);
      } else {
        makeTasks(schedule, List.of(time), join);
      }
      return true;
    } catch (DuplicateKeyException | MadeMeanwhileException e) {
      return false;
    }
  }

  private void makeTasks(ScheduleRow schedule, List<Long> times, Runnable join) {
    List<TaskDraft> drafts = times.stream().map(time -> draft(schedule, time)).toList();
    creator.create(
        CreateCall.of(drafts)
            .byUsers()
            .and(ids -> write(schedule, times, ids.stream().map(Run::of).toList(), join)));
  }

  private void makeJob(ScheduleRow schedule, long time, Runnable join) {
    jobs.create(
        schedule.definition().jobData(),
        new FireId(schedule.id(), time),
        true,
        id -> write(schedule, List.of(time), List.of(Run.ofJob(id)), join));
  }

  /** Records the fires of these times, and their runs, which stand in the same order. */
  private void write(ScheduleRow schedule, List<Long> times, List<Run> runs, Runnable join) {
    schedules.countFires(schedule.id(), times.size());
    List<FireRow> rows =
        IntStream.range(0, times.size())
            .mapToObj(i -> row(schedule, times.get(i), runs.get(i)))
            .toList();
    if (!fires.record(rows, fates(schedule, times))) {
      throw new MadeMeanwhileException();
    }
    join.run();
  }

  private static void requireReadable(ScheduleRow schedule) {
    if (schedule.problem() != null) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT, "schedule " + schedule.name() + ": " + schedule.problem());
    }
  }

  /** Another call has made a fire; nothing of this transaction is committed. */
  private static final class MadeMeanwhileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MadeMeanwhileException() {
      super("a fire was made meanwhile", null, false, false);
    }
  }
}
