package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.job.core.JobCreator;
import io.asyncflow.flowsvr.schedule.core.FireDayStore;
import io.asyncflow.flowsvr.schedule.core.FireRow;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleDefinitions;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TransitionStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.SealedTexts;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;

/**
 * The transaction of fires, planned ones and those made by hand: it creates the tasks or the job,
 * and then the caller locks the schedules, records the fires and moves the schedules on.
 *
 * <p>Lock order, as everywhere: tasks, jobs, then schedules by id, then fires. Thread-safe.
 */
@Component
public class FireTransaction {

  private static final int PAGE = 1_000;

  private final FireStore fires;
  private final FireDayStore days;
  private final TaskCreator creator;
  private final JobCreator jobs;
  private final SealedTexts sealedTexts;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final Node node;

  FireTransaction(
      FireStore fires,
      FireDayStore days,
      TaskCreator creator,
      JobCreator jobs,
      SealedTexts sealedTexts,
      TaskStore tasks,
      TransitionStore transitions,
      TaskFamilies families,
      RetryingTransactions transactions,
      Node node) {
    this.fires = fires;
    this.days = days;
    this.creator = creator;
    this.jobs = jobs;
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
  public record NewFire(ScheduleRow by, long time, long epoch, boolean isManual) {

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
   * Creates what fires create.
   *
   * @param made of any schedules of tasks, or one of a job; none for a transaction that creates
   *     nothing
   * @param key of the only one: the same key gives the same run; {@code null} for none
   * @param join takes the rows of the fires that created something, to be recorded in the same
   *     transaction. It may run again, and does not run if the key created a run before
   * @return the runs, in the order of the fires
   */
  public List<Run> create(List<NewFire> made, String key, Consumer<List<FireRow>> join) {
    made.stream() // the rule of a type may be younger than the schedule
        .map(fire -> fire.by().definition())
        .distinct()
        .forEach(definition -> sealedTexts.check(definition, "scheduleData"));
    if (made.isEmpty()) {
      transactions.execute(
          () -> {
            join.accept(List.of());
            return null;
          });
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

  /**
   * The row of a fire.
   *
   * @param run {@code null} if it created none
   */
  FireRow row(NewFire fire, FireOutcome outcome, Run run) {
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

  /**
   * Cancels those of these tasks for which this holds, and returns their ids. Tasks that another
   * transaction has locked are not waited for, so the schedules may be locked before: whoever ends
   * a run has its task, and may wait for the schedule.
   *
   * @throws org.springframework.dao.PessimisticLockingFailureException if one is locked
   */
  Set<TaskId> cancel(Stream<TaskId> ids, Predicate<TaskRow> which) {
    SortedMap<TaskTable, List<Long>> numbers =
        ids.filter(task -> families.has(task.table()))
            .collect(groupingBy(TaskId::table, TreeMap::new, mapping(TaskId::number, toList())));
    List<TaskRow> cancelled = new ArrayList<>();
    numbers.forEach(
        (table, all) -> { // a statement with too many ids would read the whole table
          for (int i = 0; i < all.size(); i += PAGE) {
            List<Long> page = all.subList(i, Math.min(i + PAGE, all.size()));
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
    return fires.between(scheduleId, times.get(0), last + 1, daysOf(times)).stream()
        .collect(toMap(FireRow::fireTime, FireRow::outcome));
  }

  /** Makes the tables of the days of these fire times, unless they exist. */
  public void ensureDays(Collection<Long> times) {
    days.ensure(daysOf(times));
  }

  /** Runs work for which the tables of the fires' days exist, unless one is dropped meanwhile. */
  void withDays(Collection<Long> times, Runnable work) {
    ensureDays(times);
    try {
      work.run();
    } catch (BadSqlGrammarException e) {
      if (!FireDayStore.isMissing(e)) {
        throw e;
      }
      days.forget();
      ensureDays(times);
      work.run();
    }
  }

  private static Set<LocalDate> daysOf(Collection<Long> times) {
    return times.stream().map(FireDayStore::dayOf).collect(toCollection(TreeSet::new));
  }
}
