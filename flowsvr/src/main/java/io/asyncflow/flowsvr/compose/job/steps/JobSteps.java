package io.asyncflow.flowsvr.compose.job.steps;

import static io.asyncflow.flowsvr.compose.job.steps.MovedException.runUnlessMoved;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.core.JobChanger;
import io.asyncflow.flowsvr.compose.job.core.JobCreator;
import io.asyncflow.flowsvr.compose.job.core.JobMeters;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.CopyStore;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.JobRules;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.springframework.stereotype.Service;

/**
 * Executes the steps that a job's state requires: makes tasks of staged children, returns failed
 * children to waiting, cancels unfinished tasks, creates the merge; of a paused job, pauses what
 * waits. {@link TeamSteps} executes those of a running team.
 *
 * <p>A step handles one page in one transaction that changes the job's row by compare-and-set. So
 * concurrent servers execute it once, a crash leaves it done or not begun, and the row tells the
 * next server what is left.
 */
@Service
public class JobSteps {

  private static final int PAGE = ChildRelease.PAGE;

  /**
   * Each end of a child makes room for one, so the search for the next broken ones begins again and
   * again: it looks at so many children for each of them, and not at a whole page.
   */
  private static final int LOOKED_AT_FOR_ONE = 20;

  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final ChildRelease release;
  private final TeamSteps teams;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final CopyStore copies;
  private final Lanes lanes;
  private final TaskFamilies families;
  private final NewTaskTables newTaskTables;
  private final RetryingTransactions transactions;
  private final JobChanger changer;
  private final JobMeters meters;
  private final Events events;

  JobSteps(
      JobStore jobs,
      JobTaskStore jobTasks,
      ChildRelease release,
      TeamSteps teams,
      TaskStore tasks,
      TransitionStore transitions,
      CopyStore copies,
      Lanes lanes,
      TaskFamilies families,
      NewTaskTables newTaskTables,
      RetryingTransactions transactions,
      JobChanger changer,
      JobMeters meters,
      Events events) {
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.release = release;
    this.teams = teams;
    this.tasks = tasks;
    this.transitions = transitions;
    this.copies = copies;
    this.lanes = lanes;
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.transactions = transactions;
    this.changer = changer;
    this.meters = meters;
    this.events = events;
  }

  /**
   * Executes steps until there is none.
   *
   * @return the number of executed steps
   */
  public int advance(long jobId) {
    int steps = 0;
    while (step(jobId)) {
      steps++;
    }
    return steps;
  }

  /** Executes a step; false if there was none. */
  boolean step(long jobId) {
    JobRow job = jobs.find(jobId).orElse(null);
    if (job == null) {
      return false;
    }
    meters.show(job.jobType().name());
    return step(job);
  }

  /**
   * Executes the step that the state requires; false if it requires none. True also if another
   * server was faster, because there may be a further step.
   */
  private boolean step(JobRow job) {
    if (job.pause() != JobPause.NONE
        && !job.state().isFinal()
        && job.state() != JobState.STOPPING) {
      return movePage(job);
    }
    return switch (job.state()) {
      case RUNNING ->
          job.isTeam() ? teams.step(job) : job.hasStaged() && job.room() > 0 && release(job);
      case RETRYING -> revive(job);
      case STOPPING -> stop(job);
      case MERGING -> job.mergeTask() == null && createMerge(job);
      case SPLITTING, SUCCESS, FAILED, CANCELLED -> false;
    };
  }

  /**
   * Pauses what waits in the next page of a paused job, or lets it wait again. Nothing is released,
   * revived or merged meanwhile, so the pages reach all that there is, and {@code ClaimTransaction}
   * pauses what begins to wait behind them.
   */
  private boolean movePage(JobRow job) {
    int from = Math.max(0, job.pauseCursor());
    int end = Math.min(from + PAGE, job.released());
    if (job.pause() == JobPause.PAUSED && job.pauseCursor() == job.released()) {
      return false;
    }
    inTransaction(
        () -> {
          if (job.pauseCursor() < 0) {
            eachOwnTask(job, (table, numbers) -> move(job, table, numbers));
          }
          byTable(job, from, end - from).forEach((table, numbers) -> move(job, table, numbers));
          MovedException.unless(jobs.movePause(job, end), job.id());
        });
    if (job.pause() == JobPause.RESUMING) {
      events.publish(new TasksWaiting(job.jobType()));
      events.publish(new TasksWaiting(job.childType()));
    }
    return true;
  }

  private void move(JobRow job, TaskTable table, List<Long> numbers) {
    boolean isPause = job.pause() == JobPause.PAUSED;
    TaskStatus from = isPause ? TaskStatus.WAITING : TaskStatus.PAUSED;
    TaskAct act = isPause ? TaskAct.PAUSE : TaskAct.RESUME;
    transitions.change(
        tasks.lock(table, numbers).stream()
            .filter(row -> row.status() == from)
            .map(row -> TaskActs.on(act, row, Arguments.NONE))
            .toList());
  }

  /** Makes tasks of the next staged children, as far as the job's window has room. */
  private boolean release(JobRow job) {
    int from = job.released();
    List<TaskDraft> page =
        jobTasks.staged(job.id(), from, ChildRelease.room(job)).stream()
            .map(child -> ChildRelease.taskOf(job, child).withWorkers(workersOf(child)))
            .toList();
    if (page.isEmpty()) { // another server has released them meanwhile
      return jobs.find(job.id()).filter(now -> now.released() > from).isPresent();
    }
    release.release(job, page, () -> {});
    return true;
  }

  private static Set<String> workersOf(JobChild child) {
    return child.workerIds() == null ? Set.of() : Set.copyOf(child.workerIds());
  }

  /**
   * Returns failed and cancelled children of the next page to waiting: in their rows, or, in a
   * drained table, as new tasks that continue from the same stage.
   */
  private boolean revive(JobRow job) {
    int from = job.revived();
    int end = endOfRevival(job, from);
    if (end == from && from < job.released()) {
      return false; // the window is full, until a child ends
    }
    byTable(job, from, end - from).forEach((table, numbers) -> revive(job, table, numbers));
    inTransaction(
        () ->
            MovedException.unless(
                changer.change(job.id(), now -> JobRules.revived(now, from, end)), job.id()));
    return true;
  }

  private void revive(JobRow job, TaskTable table, List<Long> numbers) {
    boolean[] isDrained = new boolean[1];
    runUnlessMoved(() -> isDrained[0] = !transactions.execute(() -> reviveIn(job, table, numbers)));
    if (isDrained[0]) {
      copyFrom(job, table, numbers);
    } else {
      events.publish(new TasksWaiting(table.type()));
    }
  }

  /** The end of the next page to revive, which has as many broken children as the window allows. */
  private int endOfRevival(JobRow job, int from) {
    if (job.window() == null) {
      return Math.min(from + PAGE, job.released());
    }
    int room = Math.min(PAGE, job.room());
    int end = Math.min(from + Math.min(PAGE, LOOKED_AT_FOR_ONE * (room + 1)), job.released());
    return byTable(job, from, end - from).entrySet().stream()
        .flatMap(
            ofTable -> jobTasks.broken(ofTable.getKey(), ofTable.getValue(), room + 1).stream())
        .sorted()
        .skip(room)
        .findFirst()
        .orElse(end);
  }

  /** Returns children to waiting in their rows; false if the table is drained. */
  private boolean reviveIn(JobRow job, TaskTable table, List<Long> numbers) {
    if (!newTaskTables.enter(table)) {
      return false;
    }
    transitions.change(
        tasks.lock(table, numbers).stream()
            .filter(JobSteps::isBroken)
            .map(TaskTransition::revived)
            .toList());
    requireStill(job);
    return true;
  }

  /**
   * Otherwise children of a job that was cancelled meanwhile, and has ended, would run, or those of
   * one that was retried meanwhile would be cancelled.
   */
  private void requireStill(JobRow job) {
    MovedException.unless(jobs.lockIn(job.id(), job.state()), job.id());
  }

  private void inTransaction(Runnable step) {
    runUnlessMoved(() -> transactions.run(step));
  }

  /**
   * Copies children of a drained table into new tasks. The record of the copies commits with them,
   * so the originals' objects stay even if their table is dropped. If the table is given up
   * concurrently, the children cannot run again.
   */
  private void copyFrom(JobRow job, TaskTable table, List<Long> children) {
    SortedMap<Integer, TaskRow> broken = new TreeMap<>();
    tasks.find(table, children).stream()
        .filter(JobSteps::isBroken)
        .forEach(row -> broken.put(row.place().index(), row));
    if (broken.isEmpty()) {
      return;
    }
    List<Integer> indices = List.copyOf(broken.keySet());
    List<TaskRow> originals = List.copyOf(broken.values());
    List<TaskDraft> drafts = copiesOf(originals);
    List<Long> numbers = originals.stream().map(row -> row.id().number()).toList();
    release.create(
        drafts,
        ChildRelease.placesOf(job, indices),
        ids -> {
          if (!newTaskTables.keep(table)) {
            throw new MovedException(table);
          }
          List<TaskRow> remaining = tasks.lock(table, numbers);
          MovedException.unless(remaining.stream().allMatch(JobSteps::isBroken), job.id());
          copies.made(originals, ids, "job " + job.id());
          transitions.leaveJob(table, numbers);
          jobTasks.setTasks(job.id(), ChildRelease.childrenOf(indices, ids));
          changer.record(remaining.stream().map(TaskTransition::revived).toList());
          requireStill(job);
        });
  }

  private List<TaskDraft> copiesOf(List<TaskRow> rows) {
    Map<String, Set<String>> workers = new HashMap<>();
    return rows.stream()
        .map(
            row ->
                TaskDraft.copyOf(row, null)
                    .withWorkers(workers.computeIfAbsent(row.lane(), lanes::workersOf)))
        .toList();
  }

  /** Whether the task has failed or was cancelled, and is still a child of its job. */
  private static boolean isBroken(TaskRow row) {
    boolean ended = row.status() == TaskStatus.FAILED || row.status() == TaskStatus.CANCELLED;
    return ended && row.place() != null;
  }

  /** Cancels the unfinished tasks of the job. The last one ends the job. */
  private boolean stop(JobRow job) {
    runUnlessMoved(() -> cancelAll(job));
    inTransaction(
        () -> changer.change(job.id(), JobRules::judged)); // there may have been nothing to cancel
    return jobs.find(job.id()).filter(now -> now.state() == JobState.STOPPING).isEmpty();
  }

  private void cancelAll(JobRow job) {
    eachOwnTask(job, (table, numbers) -> cancel(job, table, numbers));
    for (int from = 0; from < job.released(); from += PAGE) {
      byTable(job, from, PAGE).forEach((table, numbers) -> cancel(job, table, numbers));
    }
  }

  private void cancel(JobRow job, TaskTable table, List<Long> numbers) {
    transactions.run(
        () -> {
          List<TaskTransition> cancelled =
              tasks.lock(table, numbers).stream()
                  .filter(row -> !row.status().isFinal())
                  .map(TaskTransition::cancelled)
                  .toList();
          if (!cancelled.isEmpty()) {
            requireStill(job);
            transitions.change(cancelled);
          }
        });
  }

  private boolean createMerge(JobRow job) {
    TaskDraft merge =
        TaskDraft.of(job.jobType(), JobCreator.MERGE_STAGE, job.userId(), "", job.priority())
            .withTraceParent(job.traceParent());
    release.create(
        List.of(merge),
        List.of(JobPlace.mergeOf(job.id())),
        ids -> MovedException.unless(jobs.setMerge(job.id(), ids.get(0)), job.id()));
    return true;
  }

  /** The numbers of tasks of children; without those of dropped tables, in which all had ended. */
  private SortedMap<TaskTable, List<Long>> byTable(JobRow job, int from, int limit) {
    return families.numbers(
        jobTasks.tasks(job.id(), job.childType(), from, limit).stream().map(Child::task));
  }

  private void eachOwnTask(JobRow job, BiConsumer<TaskTable, List<Long>> work) {
    families.numbers(job.ownTasks().stream()).forEach(work);
  }
}
