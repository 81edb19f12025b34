package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireTimes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the fires of the schedules of a {@link FakeFlowServer}, by plan and by hand, and withdraws
 * them. Guarded by the server's lock.
 */
final class FakeFires {

  /** How long the server keeps fires by default. */
  private static final Duration HISTORY = Duration.ofDays(7);

  private final FakeFlowServer server;
  private final FakeJobs jobs;

  /** The jobs of the keys of triggers; jobs of this fake have no keys of their own. */
  private final Map<String, TriggeredRun> keyedJobs = new HashMap<>();

  FakeFires(FakeFlowServer server, FakeJobs jobs) {
    this.server = server;
    this.jobs = jobs;
  }

  /** Does what has come for a schedule: makes its fires, or ends its pause. */
  void makeDue(FakeSchedule schedule, long now) {
    while (schedule.isDue(now)) {
      if (schedule.state() == ScheduleState.PAUSED) {
        schedule.resume(false, schedule.wakeTime());
      } else {
        carryOut(schedule, now);
      }
    }
  }

  private void carryOut(FakeSchedule schedule, long now) {
    boolean lives = schedule.rules.dependsOnLastRun() && isLiving(schedule.lastRun());
    FirePlan plan = schedule.plan(lives, now);
    if (schedule.rules.afterMs() != null
        && plan.fires().stream().anyMatch(fire -> schedule.history.hasRun(fire.fireTime()))) {
      // A trigger has taken this millisecond; the next one is for the fire.
      long later = schedule.nextFireTime() + 1;
      schedule.advance(new FirePlan(List.of(), List.of(), later, later, false), now);
      return;
    }
    if (lives
        && schedule.rules.overlap() == Overlap.REPLACE
        && plan.fires().stream().anyMatch(FirePlan.Planned::creates)) {
      cancel(schedule.lastRun());
    }
    for (FirePlan.Planned fire : plan.fires()) {
      if (!fire.creates()) {
        schedule.history.leaveOut(fire.fireTime(), FireOutcome.SKIPPED, now);
      } else if (!schedule.history.hasRun(fire.fireTime())) {
        makePlanned(schedule, fire.fireTime(), now);
      }
    }
    schedule.advance(plan, now);
  }

  /**
   * Refuses a schedule of unknown types, or with a text that its type does not take.
   *
   * @param path what the client calls the schedule
   */
  void requireTypes(NewSchedule schedule, String path) {
    if (schedule.jobData() != null) {
      jobs.requireTypes(schedule.jobData(), path + ".jobData");
    } else {
      NewTask task = schedule.taskData();
      server.types.checkSealing(
          task.taskType(), task.taskContext(), path + ".taskData.taskContext");
    }
  }

  private void makePlanned(FakeSchedule schedule, long fireTime, long now) {
    try {
      requireTypes(schedule.definition, "scheduleData");
      TriggeredRun run = createPlanned(schedule, fireTime);
      schedule.history.create(fireTime, false, run, now);
      schedule.countPlanned(fireTime, run);
    } catch (FlowException e) {
      schedule.history.leaveOut(fireTime, FireOutcome.REFUSED, now);
    }
  }

  private void cancel(TriggeredRun run) {
    if (run.taskId() == null) {
      jobs.cancel(run.jobId());
    } else {
      server.acts.act(TaskAct.CANCEL, run.taskId());
    }
  }

  /** Creates the task of a planned fire, which is due at its time, or the job. */
  private TriggeredRun createPlanned(FakeSchedule schedule, long fireTime) {
    FireId fire = new FireId(schedule.id, fireTime);
    if (schedule.rules.makesJobs()) {
      return new TriggeredRun(null, jobs.create(schedule.definition.jobData(), fire));
    }
    NewTask task = schedule.definition.taskData();
    return new TriggeredRun(
        server.creates.insert(task.withRunAt(schedule.rules.dueTime(fireTime)), fire), null);
  }

  private boolean isLiving(TriggeredRun run) {
    if (run == null) {
      return false;
    }
    return run.taskId() == null
        ? !jobs.isFinal(run.jobId())
        : !server.tasks.row(run.taskId()).status().isFinal();
  }

  /** The fires after now, oldest first, whose tasks no worker has held. */
  List<ScheduleFire> withdrawable(FakeSchedule schedule, long now) {
    return schedule.history.madeAhead(now).stream().filter(this::isUntouched).toList();
  }

  private boolean isUntouched(ScheduleFire fire) {
    TaskRow task = fire.taskId() == null ? null : server.tasks.row(fire.taskId());
    return task != null && !task.status().isFinal() && task.leaseEpoch() == 0;
  }

  /** Cancels the tasks of these fires of a schedule. */
  void withdraw(FakeSchedule schedule, List<ScheduleFire> fires) {
    for (ScheduleFire fire : fires) {
      server.acts.act(TaskAct.CANCEL, fire.taskId());
      schedule.history.withdraw(fire.fireTime());
    }
    if (!fires.isEmpty()) {
      schedule.takeBack(fires);
    }
  }

  /** Creates the run of a schedule now, once for each key that is not {@code null}. */
  TriggeredRun trigger(FakeSchedule schedule, String key, long now) {
    long fireTime = now;
    while (schedule.history.has(fireTime)
        || schedule.rules.isPlanned(fireTime, schedule.nextFireTime())) {
      fireTime++;
    }
    FireId fire = new FireId(schedule.id, fireTime);
    TriggeredRun run = triggered(schedule, key, fire);
    if (isOf(run, fire)) {
      schedule.history.create(fireTime, true, run, now);
      schedule.countManual();
    }
    return run;
  }

  private TriggeredRun triggered(FakeSchedule schedule, String key, FireId fire) {
    requireTypes(schedule.definition, "scheduleData");
    if (schedule.rules.makesJobs()) {
      NewJob job = schedule.definition.jobData();
      return key == null
          ? new TriggeredRun(null, jobs.create(job, fire))
          : keyedJobs.computeIfAbsent(
              job.jobType() + " " + key, unused -> new TriggeredRun(null, jobs.create(job, fire)));
    }
    NewTask task = schedule.definition.taskData();
    return new TriggeredRun(
        server.creates.insert(key == null ? task : task.withIdempotencyKey(key), fire), null);
  }

  /** Whether the run was created for this fire, and not by an earlier call with the same key. */
  private boolean isOf(TriggeredRun run, FireId fire) {
    return fire.equals(
        run.taskId() == null ? jobs.fireOf(run.jobId()) : server.tasks.row(run.taskId()).fire());
  }

  /** Makes the fires of the past that have no run. */
  Backfilled backfill(FakeSchedule schedule, long from, long to, int limit, long now) {
    FireTimes times = schedule.rules.times();
    if (times == null) {
      throw invalid(
          "schedule "
              + schedule.definition.name()
              + " has no fire times: it fires after its last run");
    }
    if (from < now - HISTORY.toMillis()) {
      throw invalid("from is older than the history of " + HISTORY.toDays() + " days");
    }
    long end = Math.min(to, now);
    int made = 0;
    long next = from;
    long looked = from;
    for (long fireTime : times.after(from - 1, end, FirePlan.MAX_STEPS)) {
      if (!schedule.history.hasRun(fireTime)) {
        if (made == limit) {
          return new Backfilled(made, next);
        }
        TriggeredRun run = triggered(schedule, null, new FireId(schedule.id, fireTime));
        schedule.history.create(fireTime, true, run, now);
        schedule.countManual();
        made++;
        next = fireTime + 1;
      }
      looked = fireTime + 1;
    }
    boolean isMore = times.next(looked - 1).orElse(end) < end;
    return new Backfilled(made, isMore ? (Long) looked : null);
  }

  private static FlowException invalid(String why) {
    return new FlowException(ErrorCode.INVALID_INPUT, why);
  }
}
