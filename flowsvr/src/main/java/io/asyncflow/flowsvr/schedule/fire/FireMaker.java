package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.job.JobActs;
import io.asyncflow.flowsvr.job.core.JobCreator;
import io.asyncflow.flowsvr.schedule.core.FireDayStore;
import io.asyncflow.flowsvr.schedule.core.FireRow;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.GapStore;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleDefinitions;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore.Advance;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore.Guard;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.Outage;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TransitionStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.SealedTexts;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireGap;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;

/**
 * Writes plans: creates the tasks and jobs of fires, records a fate for each fire time, and moves
 * the schedules on, all in one transaction.
 *
 * <p>The plans of up to {@value #BATCH} fires commit together. A plan that another server has
 * overtaken, or whose row another transaction has locked, is left out. If a fire has a row already,
 * a target is refused, or a row stays locked, nothing of the batch is committed, and each of its
 * plans is written alone. A lost race is ordinary and leaves no line in the log.
 *
 * <p>A target that cannot be created holds up no other: one that is refused is tried again in a
 * minute, one that cannot be created at the moment in seconds. An outage ends the round.
 *
 * <p>Lock order, as everywhere: tasks, jobs, then schedules by id, then fires. Neither the
 * schedules nor the tasks that give way are waited for. Thread-safe.
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

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final FireDayStore days;
  private final GapStore gaps;
  private final TaskCreator creator;
  private final JobCreator jobs;
  private final JobActs jobActs;
  private final SealedTexts sealedTexts;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final FireMeters meters;
  private final Node node;

  FireMaker(
      ScheduleStore schedules,
      FireStore fires,
      FireDayStore days,
      GapStore gaps,
      TaskCreator creator,
      JobCreator jobs,
      JobActs jobActs,
      SealedTexts sealedTexts,
      TaskStore tasks,
      TransitionStore transitions,
      TaskFamilies families,
      RetryingTransactions transactions,
      FireMeters meters,
      Node node) {
    this.schedules = schedules;
    this.fires = fires;
    this.days = days;
    this.gaps = gaps;
    this.creator = creator;
    this.jobs = jobs;
    this.jobActs = jobActs;
    this.sealedTexts = sealedTexts;
    this.tasks = tasks;
    this.transitions = transitions;
    this.families = families;
    this.transactions = transactions;
    this.meters = meters;
    this.node = node;
  }

  /**
   * Writes these plans, in batches; returns those that were written.
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
      if (plan.makesJobs() || replacedJob(plan) != null) {
        made.addAll(makeAlone(plan));
        continue;
      }
      int added = Math.max(1, plan.plan().fires().size());
      if (!batch.isEmpty() && size + added > BATCH) {
        made.addAll(makeTogether(batch));
        batch = new ArrayList<>();
        size = 0;
      }
      batch.add(plan);
      size += added;
    }
    if (!batch.isEmpty()) {
      made.addAll(makeTogether(batch));
    }
    return made;
  }

  private List<PlannedSchedule> makeTogether(List<PlannedSchedule> batch) {
    try {
      return writeUnlessMoved(batch);
    } catch (RuntimeException e) {
      boolean isContention = e instanceof PessimisticLockingFailureException;
      if (!isContention && isOutage(e)) {
        throw e;
      }
      return batch.stream().map(this::makeAlone).flatMap(List::stream).toList();
    }
  }

  /** Writes what no other server has overtaken. */
  private List<PlannedSchedule> writeUnlessMoved(List<PlannedSchedule> batch) {
    try {
      withDays(batch, () -> write(batch, Map.of()));
      count(batch);
      return batch;
    } catch (MovedException e) {
      meters.lost(e.ids.size());
      List<PlannedSchedule> others =
          batch.stream().filter(plan -> !e.ids.contains(plan.row().id())).toList();
      return others.isEmpty() || others.size() == batch.size()
          ? List.of()
          : writeUnlessMoved(others);
    }
  }

  /** A fire that creates something. */
  private record Creation(PlannedSchedule by, long fireTime) {

    TaskDraft draft() {
      ScheduleRow row = by.row();
      return ScheduleDefinitions.draft(row, fireTime, row.rules().dueTime(fireTime));
    }

    FireRow row(Run run, String node) {
      return FireRow.created(by.row(), fireTime, run, node, by.epoch());
    }
  }

  /**
   * Creates what the fires of these plans create, records the fires, and moves the schedules on.
   *
   * @param earlier the fates that fires of the only plan have already
   */
  private void write(List<PlannedSchedule> batch, Map<Long, FireOutcome> earlier) {
    List<Creation> creations = creations(batch, earlier);
    checkTexts(creations);
    if (creations.isEmpty()) {
      transactions.execute(
          () -> {
            join(batch, rowsOf(batch, creations, List.of(), earlier), earlier);
            return null;
          });
    } else if (batch.get(0).makesJobs()) {
      jobs.create(
          batch.get(0).row().definition().jobData(),
          new FireId(batch.get(0).row().id(), creations.get(0).fireTime()),
          false,
          id -> join(batch, rowsOf(batch, creations, List.of(Run.ofJob(id)), earlier), earlier));
    } else {
      creator.create(
          CreateCall.of(creations.stream().map(Creation::draft).toList())
              .and(
                  ids -> {
                    List<Run> runs = ids.stream().map(Run::of).toList();
                    join(batch, rowsOf(batch, creations, runs, earlier), earlier);
                  }));
    }
  }

  private static List<Creation> creations(
      List<PlannedSchedule> batch, Map<Long, FireOutcome> earlier) {
    List<Creation> creations = new ArrayList<>();
    for (PlannedSchedule plan : batch) {
      plan.creations().stream()
          .filter(time -> earlier.get(time) != FireOutcome.CREATED)
          .forEach(time -> creations.add(new Creation(plan, time)));
    }
    return creations;
  }

  /** The rule of a type may be younger than the schedule. */
  private void checkTexts(List<Creation> creations) {
    creations.stream()
        .map(creation -> creation.by().row().definition())
        .distinct()
        .forEach(definition -> sealedTexts.check(definition, "scheduleData"));
  }

  /** The rows of the fires; the runs stand in the order of what was created. */
  private List<FireRow> rowsOf(
      List<PlannedSchedule> batch,
      List<Creation> creations,
      List<Run> runs,
      Map<Long, FireOutcome> earlier) {
    List<FireRow> rows = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      rows.add(creations.get(i).row(runs.get(i), node.id()));
    }
    for (PlannedSchedule plan : batch) {
      plan.skips().stream()
          .filter(time -> earlier.get(time) != FireOutcome.CREATED)
          .forEach(time -> rows.add(without(plan, time, FireOutcome.SKIPPED)));
    }
    return rows;
  }

  private FireRow without(PlannedSchedule plan, long fireTime, FireOutcome outcome) {
    return FireRow.without(plan.row(), fireTime, outcome, node.id(), plan.epoch());
  }

  /** Records fires and moves schedules on, in the transaction that creates the runs. */
  private void join(
      List<PlannedSchedule> batch, List<FireRow> rows, Map<Long, FireOutcome> earlier) {
    batch.stream()
        .map(FireMaker::replacedJob)
        .filter(Objects::nonNull)
        .forEach(jobActs::cancelIfLiving);
    lock(batch);
    cancelReplaced(batch);
    if (!fires.record(rows, earlier)) {
      throw new MovedException(Set.of(batch.get(0).row().id()));
    }
    Map<Long, List<FireRow>> created =
        rows.stream()
            .filter(fire -> fire.run() != null)
            .sorted(Comparator.comparingLong(FireRow::fireTime))
            .collect(groupingBy(FireRow::scheduleId));
    List<Advance> advances =
        batch.stream()
            .map(plan -> advance(plan, created.getOrDefault(plan.row().id(), List.of())))
            .toList();
    if (schedules.advance(advances) != advances.size()) {
      throw new IllegalStateException("locked schedules were not moved on");
    }
    batch.stream()
        .filter(plan -> plan.plan().ends())
        .forEach(plan -> schedules.tellEnd(plan.row()));
    gaps.insert(batch.stream().collect(toMap(plan -> plan.row().id(), plan -> plan.plan().gaps())));
  }

  /**
   * @param created the fires that created something, oldest first
   */
  private static Advance advance(PlannedSchedule plan, List<FireRow> created) {
    FireRow last = created.isEmpty() ? null : created.get(created.size() - 1);
    return new Advance(
        Guard.of(plan.row()),
        plan.epoch(),
        plan.plan().nextFireTime(),
        plan.plan().wakeTime(),
        created.size(),
        last == null ? null : last.fireTime(),
        last == null ? null : last.run().toString(),
        last == null ? plan.row().position().lastError() : null,
        plan.plan().ends());
  }

  /**
   * Locks the schedules of these plans.
   *
   * @throws MovedException if some have changed since they were planned, or are locked
   */
  private void lock(List<PlannedSchedule> batch) {
    Map<Long, Guard> now =
        schedules
            .lockActiveUnlessLocked(batch.stream().map(plan -> plan.row().id()).toList())
            .stream()
            .collect(toMap(Guard::id, Function.identity()));
    Set<Long> moved =
        batch.stream()
            .filter(plan -> !isAsPlanned(plan, now.get(plan.row().id())))
            .map(plan -> plan.row().id())
            .collect(toSet());
    if (!moved.isEmpty()) {
      throw new MovedException(moved);
    }
  }

  private static boolean isAsPlanned(PlannedSchedule plan, Guard now) {
    return now != null
        && now.fence() == plan.row().fence()
        && Objects.equals(now.nextFireTime(), plan.row().position().nextFireTime())
        && now.sliceEpoch() <= plan.epoch();
  }

  /**
   * Cancels the tasks that give way to new runs. A task that another transaction has locked is not
   * waited for, or it would hold up the other schedules; so the schedules may be locked before.
   * They must be, because the end of a run may lock its schedule, and waits for it.
   */
  private void cancelReplaced(List<PlannedSchedule> batch) {
    SortedMap<TaskTable, List<Long>> numbers = new TreeMap<>();
    for (PlannedSchedule plan : batch) {
      if (replaces(plan)) {
        TaskId last = LastRuns.lastRun(plan.row()).task();
        if (last != null && families.has(last.table())) {
          numbers.computeIfAbsent(last.table(), table -> new ArrayList<>()).add(last.number());
        }
      }
    }
    numbers.forEach(
        (table, ofTable) -> {
          transitions.change(
              tasks.lockAtOnce(table, ofTable).stream()
                  .filter(task -> !task.status().isFinal())
                  .map(TaskTransition::cancelled)
                  .toList());
        });
  }

  /**
   * The job that gives way to the new run, whatever that is; {@code null} if there is none. It may
   * be waited for, so such a plan is written alone.
   */
  private static Long replacedJob(PlannedSchedule plan) {
    return replaces(plan) ? LastRuns.lastRun(plan.row()).jobId() : null;
  }

  private static boolean replaces(PlannedSchedule plan) {
    return plan.lastRunLives()
        && plan.row().definition().overlap() == Overlap.REPLACE
        && !plan.creations().isEmpty();
  }

  /** Writes a plan by itself: it may find fires that were made by hand or were withdrawn. */
  private List<PlannedSchedule> makeAlone(PlannedSchedule planned) {
    try {
      PlannedSchedule plan = isTaken(planned) ? planned.aMillisecondLater() : planned;
      withDays(List.of(plan), () -> write(List.of(plan), earlierFates(plan)));
      count(List.of(plan));
      return List.of(plan);
    } catch (MovedException | DuplicateKeyException | PessimisticLockingFailureException e) {
      meters.lost(1); // the next look finds what is left
    } catch (RuntimeException e) {
      if (isOutage(e)) {
        throw e;
      }
      if (isOfTarget(e)) {
        postpone(planned, e);
      } else {
        refuse(planned, e);
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

  /** Puts a schedule behind the others whose target cannot be created now, but perhaps soon. */
  private void postpone(PlannedSchedule plan, RuntimeException e) {
    if (transactions.execute(() -> refuse(plan.row(), messageOf(e), SOON_MS))) {
      log.info(
          "schedule {} creates nothing now, and will be tried again in {} s: {}",
          plan.row().name(),
          SOON_MS / 1_000,
          e.getMessage());
    }
  }

  /**
   * Records in the caller's transaction why a schedule creates nothing; false if it has changed, or
   * if another transaction has locked it, for which the other schedules do not wait.
   */
  private boolean refuse(ScheduleRow row, String why, long againMs) {
    return schedules.lockUnlessLocked(row.id()).isPresent()
        && schedules.refuse(row, why, row.now() + againMs);
  }

  private static String messageOf(RuntimeException e) {
    String why = e.getMessage() == null ? e.toString() : e.getMessage();
    return why.substring(0, Math.min(why.length(), MAX_ERROR));
  }

  /**
   * Whether a trigger has made a fire at the very time of the next one. To a schedule that has fire
   * times this does not happen, as a trigger leaves those free; but one that fires after the end of
   * its last run may get the same time just afterwards, and has to make its own run.
   */
  private boolean isTaken(PlannedSchedule plan) {
    return plan.row().rules().afterMs() != null
        && earlierFates(plan).containsValue(FireOutcome.CREATED);
  }

  private Map<Long, FireOutcome> earlierFates(PlannedSchedule plan) {
    if (plan.plan().fires().isEmpty()) {
      return Map.of();
    }
    long first = plan.plan().fires().get(0).fireTime();
    long last = plan.plan().fires().get(plan.plan().fires().size() - 1).fireTime();
    return fires.between(plan.row().id(), first, last + 1, daysOf(List.of(plan))).stream()
        .collect(toMap(FireRow::fireTime, FireRow::outcome));
  }

  /** Sets a schedule aside for a minute that cannot be planned, unless that is an outage. */
  void refuseUnlessOutage(ScheduleRow row, RuntimeException e) {
    if (isOutage(e)) {
      throw e;
    }
    refuse(row, messageOf(e));
  }

  /**
   * Records that a target creates nothing, and why. The fire times stay without a run; they are
   * tried again in a minute, as long as the catch-up policy allows.
   */
  private void refuse(PlannedSchedule plan, RuntimeException e) {
    String why = messageOf(e);
    withDays(
        List.of(plan),
        () -> {
          if (transactions.execute(() -> recordRefusal(plan, why))) {
            log.warn(
                "schedule {} creates nothing, and will be tried again in {} s: {}",
                plan.row().name(),
                RETRY_MS / 1_000,
                why);
            meters.fired(plan.type(), FireOutcome.REFUSED, plan.creations().size());
          }
        });
  }

  private boolean recordRefusal(PlannedSchedule plan, String why) {
    if (!refuse(plan.row(), why, RETRY_MS)) {
      return false;
    }
    List<FireRow> refused =
        plan.creations().stream().map(time -> without(plan, time, FireOutcome.REFUSED)).toList();
    if (!refused.isEmpty()) {
      fires.insertIfAbsent(refused);
    }
    return true;
  }

  /** Records that a row cannot be understood, which only a change by SQL causes. */
  void refuse(ScheduleRow row) {
    refuse(row, row.problem());
  }

  private void refuse(ScheduleRow row, String why) {
    if (transactions.execute(() -> refuse(row, why, RETRY_MS))) {
      log.warn("schedule {} cannot fire: {}", row.name(), why);
    }
  }

  /** Runs work for which the tables of the fires' days exist, unless one is dropped meanwhile. */
  private void withDays(List<PlannedSchedule> plans, Runnable work) {
    Set<LocalDate> needed = daysOf(plans);
    days.ensure(needed);
    try {
      work.run();
    } catch (BadSqlGrammarException e) {
      if (!FireDayStore.isMissing(e)) {
        throw e;
      }
      days.forget();
      days.ensure(needed);
      work.run();
    }
  }

  private static Set<LocalDate> daysOf(List<PlannedSchedule> plans) {
    Set<LocalDate> needed = new TreeSet<>();
    plans.forEach(
        plan ->
            plan.plan().fires().forEach(fire -> needed.add(FireDayStore.dayOf(fire.fireTime()))));
    return needed;
  }

  private void count(List<PlannedSchedule> batch) {
    for (PlannedSchedule plan : batch) {
      Optional<TaskType> type = plan.type();
      List<Long> creations = plan.creations();
      meters.fired(type, FireOutcome.CREATED, creations.size());
      meters.fired(type, FireOutcome.SKIPPED, plan.skips().size());
      creations.forEach(time -> meters.late(plan.row().now() - time));
      for (FireGap gap : plan.plan().gaps()) {
        meters.passed(type, gap.reason(), gap.fires());
      }
    }
  }

  /** Other servers have moved these schedules on, or have locked them. */
  private static final class MovedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Set<Long> ids;

    MovedException(Set<Long> ids) {
      super("schedules were moved on meanwhile", null, false, false);
      this.ids = ids;
    }
  }
}
