package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.compose.job.JobActs;
import io.asyncflow.flowsvr.compose.job.core.JobCreator;
import io.asyncflow.flowsvr.compose.schedule.core.FireRow;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.Run;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleDefinitions;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Guard;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Move;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FirePosition.Fired;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;

/**
 * The transaction of fires, planned ones and those made by hand: it creates the tasks or the job,
 * locks the schedules, records the fires and moves the schedules on.
 *
 * <p>Lock order, as everywhere: tasks, jobs, then schedules by id, then fires. Neither planned
 * schedules nor the tasks that give way are waited for. Thread-safe.
 */
@Component
public class FireTransaction {

  private static final int PAGE = 1_000;

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final TaskCreator creator;
  private final JobCreator jobs;
  private final JobActs jobActs;
  private final SealedTexts sealedTexts;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final Node node;

  FireTransaction(
      ScheduleStore schedules,
      FireStore fires,
      TaskCreator creator,
      JobCreator jobs,
      JobActs jobActs,
      SealedTexts sealedTexts,
      TaskStore tasks,
      TransitionStore transitions,
      TaskFamilies families,
      RetryingTransactions transactions,
      Node node) {
    this.schedules = schedules;
    this.fires = fires;
    this.creator = creator;
    this.jobs = jobs;
    this.jobActs = jobActs;
    this.sealedTexts = sealedTexts;
    this.tasks = tasks;
    this.transitions = transitions;
    this.families = families;
    this.transactions = transactions;
    this.node = node;
  }

  /**
   * A fire to make.
   *
   * @param epoch of the schedule's slice for the server that makes it
   * @param isManual whether a user asks for it, beside the plan: its task is due at once, and the
   *     limits of what a user may create apply
   */
  private record NewFire(ScheduleRow by, long time, long epoch, boolean isManual) {

    private FireId id() {
      return new FireId(by.id(), time);
    }

    private TaskDraft draft(String key) {
      Long dueTime = isManual ? null : by.rules().dueTime(time);
      TaskDraft draft = ScheduleDefinitions.draft(by, time, dueTime);
      return key == null ? draft : draft.withIdempotencyKey(key);
    }
  }

  /**
   * Makes the fires of plans.
   *
   * @param batch plans of any schedules of tasks, or one of a schedule of jobs
   * @param earlier the outcomes that fires of the only plan have already
   * @throws MovedException if some have changed since they were planned, or are locked
   */
  void make(List<PlannedSchedule> batch, Map<Long, FireOutcome> earlier) {
    List<NewFire> made = new ArrayList<>();
    List<FireRow> skipped = new ArrayList<>();
    for (PlannedSchedule plan : batch) {
      for (FirePlan.Planned fire : plan.plan().fires()) {
        NewFire one = fireOf(plan, fire.fireTime());
        if (earlier.get(one.time()) == FireOutcome.CREATED) {
          continue;
        }
        if (fire.creates()) {
          made.add(one);
        } else {
          skipped.add(row(one, FireOutcome.SKIPPED, null));
        }
      }
    }
    fires.withDays(
        batch.stream().flatMap(plan -> plan.times().stream()).toList(),
        () -> create(made, null, created -> moveOn(batch, created, skipped, earlier)));
  }

  private static NewFire fireOf(PlannedSchedule plan, long time) {
    return new NewFire(plan.row(), time, plan.epoch(), false);
  }

  /**
   * Makes fires beside the plan.
   *
   * @param key of the only one: the same key gives the same run; {@code null} for none
   * @param earlier the outcomes of those that have a row, as the transaction reads them
   * @param join further work in the transaction, which does not run if the key created a run before
   * @return the runs, in the order of the times
   * @throws DuplicateKeyException if another server or call has made one of them
   */
  public List<Run> makeByHand(
      ScheduleRow schedule,
      List<Long> times,
      String key,
      Supplier<Map<Long, FireOutcome>> earlier,
      Runnable join) {
    List<NewFire> made =
        times.stream()
            .map(time -> new NewFire(schedule, time, schedule.sliceEpoch(), true))
            .toList();
    return fires.withDays(
        times,
        () ->
            create(
                made,
                key,
                created -> {
                  schedules.countFires(schedule.id(), created.size());
                  fires.record(created, earlier.get());
                  join.run();
                }));
  }

  /**
   * Creates what fires create.
   *
   * @param made of any schedules of tasks, or one of a job; none for a transaction that creates
   *     nothing
   * @param join takes the rows of the fires that created something, to be recorded in the same
   *     transaction. It may run again, and does not run if the key created a run before
   */
  private List<Run> create(List<NewFire> made, String key, Consumer<List<FireRow>> join) {
    made.stream() // the rule of a type may be younger than the schedule
        .map(fire -> fire.by().definition())
        .distinct()
        .forEach(definition -> sealedTexts.check(definition, "scheduleData"));
    if (made.isEmpty()) {
      transactions.run(() -> join.accept(List.of()));
      return List.of();
    }
    NewFire first = made.get(0);
    if (first.by().rules().makesJobs()) {
      NewJob job = first.by().definition().jobData();
      return List.of(
          Run.ofJob(
              jobs.create(
                  key == null ? job : job.withIdempotencyKey(key),
                  first.id(),
                  first.isManual(),
                  id -> join.accept(List.of(row(first, FireOutcome.CREATED, Run.ofJob(id)))))));
    }
    CreateCall call =
        CreateCall.of(made.stream().map(fire -> fire.draft(key)).toList())
            .and(
                ids -> {
                  if (key == null || isOf(first.id(), ids.get(0))) {
                    join.accept(
                        IntStream.range(0, ids.size())
                            .mapToObj(
                                i -> row(made.get(i), FireOutcome.CREATED, Run.of(ids.get(i))))
                            .toList());
                  }
                });
    return creator.create(first.isManual() ? call.byUsers() : call).stream().map(Run::of).toList();
  }

  /** Whether this fire created a task, and not an earlier call with the same key. */
  private boolean isOf(FireId fire, TaskId id) {
    return tasks.find(id).filter(task -> fire.equals(task.fire())).isPresent();
  }

  private FireRow row(NewFire fire, FireOutcome outcome, Run run) {
    return new FireRow(
        fire.by().id(),
        fire.time(),
        outcome,
        fire.isManual(),
        0,
        run,
        node.id(),
        fire.epoch(),
        null,
        null);
  }

  /** Records fires and moves schedules on, in the transaction that creates the runs. */
  private void moveOn(
      List<PlannedSchedule> batch,
      List<FireRow> created,
      List<FireRow> skipped,
      Map<Long, FireOutcome> earlier) {
    List<Run> replaced = batch.stream().flatMap(plan -> plan.replaced().stream()).toList();
    replaced.stream()
        .filter(run -> run.task() == null)
        .forEach(run -> jobActs.cancelIfLiving(run.jobId()));
    lock(batch);
    // After the lock of the schedules, because the end of a run may lock its schedule, and waits.
    cancel(
        replaced.stream().map(Run::task).filter(Objects::nonNull),
        task -> !task.status().isFinal());
    fires.record(Stream.concat(created.stream(), skipped.stream()).toList(), earlier);
    Map<Long, List<Fired>> bySchedule =
        created.stream()
            .collect(groupingBy(FireRow::scheduleId, mapping(FireRow::fired, toList())));
    schedules.move(
        batch.stream()
            .map(plan -> plan.move(bySchedule.getOrDefault(plan.row().id(), List.of())))
            .toList());
    fires.insertGaps(
        batch.stream().collect(toMap(plan -> plan.row().id(), plan -> plan.plan().gaps())));
  }

  private void lock(List<PlannedSchedule> batch) {
    Map<Long, Guard> now =
        schedules
            .lockActiveUnlessLocked(batch.stream().map(plan -> plan.row().id()).toList())
            .stream()
            .collect(toMap(Guard::id, Function.identity()));
    Set<Long> moved =
        batch.stream()
            .filter(plan -> !plan.isAsPlanned(now.get(plan.row().id())))
            .map(plan -> plan.row().id())
            .collect(toSet());
    if (!moved.isEmpty()) {
      throw new MovedException(moved);
    }
  }

  /**
   * Records why a schedule creates nothing, and when its fires are tried again; false if it has
   * changed, or if another transaction has locked it, for which the other schedules do not wait.
   *
   * @param refused the fire times that create nothing
   * @param again epoch ms
   */
  boolean refuse(ScheduleRow row, String why, long again, List<Long> refused, long epoch) {
    List<FireRow> rows =
        refused.stream()
            .map(time -> row(new NewFire(row, time, epoch, false), FireOutcome.REFUSED, null))
            .toList();
    return fires.withDays(refused, () -> transactions.execute(() -> refuse(row, why, again, rows)));
  }

  private boolean refuse(ScheduleRow row, String why, long again, List<FireRow> refused) {
    if (schedules.lockUnlessLocked(row.id()).filter(now -> now.fence() == row.fence()).isEmpty()) {
      return false;
    }
    schedules.move(List.of(Move.of(row, row.position().refused(why, again))));
    fires.insertIfAbsent(refused);
    return true;
  }

  /**
   * Cancels those of these tasks for which this holds, and returns their ids. Tasks that another
   * transaction has locked are not waited for, so the schedules may be locked before: whoever ends
   * a run has its task, and may wait for the schedule.
   *
   * @throws org.springframework.dao.PessimisticLockingFailureException if one is locked
   */
  Set<TaskId> cancel(Stream<TaskId> ids, Predicate<TaskRow> which) {
    List<TaskRow> cancelled = new ArrayList<>();
    families
        .numbers(ids)
        .forEach(
            (table, all) -> { // a statement with too many ids would read the whole table
              for (List<Long> page : StatementGroups.of(all, PAGE)) {
                tasks.lockAtOnce(table, page).stream().filter(which).forEach(cancelled::add);
              }
            });
    transitions.change(cancelled.stream().map(TaskTransition::cancelled).toList());
    return cancelled.stream().map(TaskRow::id).collect(toSet());
  }

  /** What became of those of these fire times, in order, that have a row. */
  public Map<Long, FireOutcome> outcomes(long scheduleId, List<Long> times) {
    if (times.isEmpty()) {
      return Map.of();
    }
    long last = times.get(times.size() - 1);
    return fires.between(scheduleId, times.get(0), last + 1, FireStore.daysOf(times)).stream()
        .collect(toMap(FireRow::fireTime, FireRow::outcome));
  }

  /** Other servers have moved these schedules on, or have locked them. */
  static final class MovedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Set<Long> ids;

    MovedException(Set<Long> ids) {
      super("schedules were moved on meanwhile", null, false, false);
      this.ids = ids;
    }

    Set<Long> ids() {
      return ids;
    }
  }
}
