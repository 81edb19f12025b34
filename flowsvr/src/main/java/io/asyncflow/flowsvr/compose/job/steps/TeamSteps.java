package io.asyncflow.flowsvr.compose.job.steps;

import static io.asyncflow.flowsvr.compose.job.steps.MovedException.runUnlessMoved;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.core.JobChanger;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.TeamStore;
import io.asyncflow.flowsvr.compose.job.core.TeamStore.Move;
import io.asyncflow.flowsvr.compose.job.core.TeamStore.Placed;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.JobRules;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;

/**
 * The steps of a running team: gives each copy to a worker of its own, and to another one if that
 * worker falls silent or the copy fails. A copy is a task in the lane of its worker alone.
 *
 * <p>Each step is a transaction that inserts the workers that get a copy. The primary key of these
 * rows admits a worker once, so of two servers that choose the same worker at once, one gives it
 * its copy and the other looks again. Thread-safe.
 */
@Component
class TeamSteps {

  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final JobChanger changer;
  private final TeamStore teams;
  private final ChildRelease release;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final Lanes lanes;
  private final TaskFamilies families;
  private final NewTaskTables newTaskTables;
  private final RetryingTransactions transactions;
  private final Events events;
  private final Counter pins;
  private final Counter moves;

  TeamSteps(
      JobStore jobs,
      JobTaskStore jobTasks,
      JobChanger changer,
      TeamStore teams,
      ChildRelease release,
      TaskStore tasks,
      TransitionStore transitions,
      Lanes lanes,
      TaskFamilies families,
      NewTaskTables newTaskTables,
      RetryingTransactions transactions,
      Events events,
      MeterRegistry registry) {
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.changer = changer;
    this.teams = teams;
    this.release = release;
    this.tasks = tasks;
    this.transitions = transitions;
    this.lanes = lanes;
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.transactions = transactions;
    this.events = events;
    this.pins =
        Counter.builder("asyncflow.team.pins")
            .description("copies of teams that were given to a worker")
            .register(registry);
    this.moves =
        Counter.builder("asyncflow.team.moves")
            .description("copies of teams that were given to another worker")
            .register(registry);
  }

  /** Executes a step of a running team; false if there was none. */
  boolean step(JobRow team) {
    boolean hasRoom = team.hasStaged() && team.room() > 0;
    return hasRoom && pin(team) || team.failed() + team.cancelled() > 0 && settle(team);
  }

  /** Makes tasks of the next copies, as many as there are workers for. */
  private boolean pin(JobRow team) {
    int from = team.released();
    int room = ChildRelease.room(team);
    boolean isChosen = team.team().coversAll(); // when the job was created
    List<String> workers =
        isChosen
            ? chosen(teams.workers(team.id(), from, room), from)
            : free(team, team.team().taskStage(), room);
    if (workers.isEmpty()) {
      return false;
    }
    List<JobChild> staged = jobTasks.staged(team.id(), from, workers.size());
    List<TaskDraft> page =
        IntStream.range(0, staged.size())
            .mapToObj(
                i -> ChildRelease.taskOf(team, staged.get(i)).withWorkers(Set.of(workers.get(i))))
            .toList();
    if (page.size() < workers.size()) { // another server has released them meanwhile
      return true;
    }
    try {
      Runnable give = isChosen ? () -> {} : () -> teams.give(team.id(), from, workers);
      if (release.release(team, page, give)) {
        pins.increment(page.size());
      }
    } catch (DuplicateKeyException e) {
      // Another server has given one of the workers a copy meanwhile.
    }
    return true;
  }

  private static List<String> chosen(Map<Integer, String> workers, int from) {
    return IntStream.range(from, from + workers.size()).mapToObj(workers::get).toList();
  }

  private List<String> free(JobRow team, String stage, int most) {
    return teams.free(team.id(), team.childType(), stage, team.team().workerIds(), most);
  }

  /** Moves copies that failed, or ends the team if none can be moved and its policy says so. */
  private boolean settle(JobRow team) {
    boolean isOver = team.ended() == team.total() || team.policy() == FailurePolicy.FAIL_FAST;
    return team.failed() > 0 && moveFailed(team) > 0
        || isOver
            && transactions.execute(
                () -> changer.change(team.id(), now -> JobRules.teamEnded(now, team.version())));
  }

  private int moveFailed(JobRow team) {
    return byStage(TaskStatus.FAILED, teams.withMovesLeft(team)).entrySet().stream()
        .mapToInt(
            stage ->
                move(
                    team,
                    stage.getValue(),
                    free(team, stage.getKey(), stage.getValue().size()),
                    Move.FAILED))
        .sum();
  }

  /**
   * Moves the copies that wait for a silent worker. In a team of all workers, those that find no
   * other worker are cancelled; in another team they wait for one.
   */
  void moveFromSilent(JobRow team, Duration silence) {
    byStage(TaskStatus.WAITING, teams.withSilentWorkers(team, silence))
        .forEach(
            (stage, copies) -> {
              List<String> workers = free(team, stage, copies.size());
              move(team, copies, workers, Move.SILENT);
              if (team.team().coversAll()) {
                copies.stream().skip(workers.size()).forEach(copy -> cancel(team, copy));
              }
            });
  }

  /** Those of the copies that have this status, by their stages. */
  private SortedMap<String, List<Placed>> byStage(TaskStatus status, List<Placed> copies) {
    Map<TaskId, String> stages = new HashMap<>();
    families
        .numbers(copies.stream().map(copy -> copy.copy().task()))
        .forEach(
            (table, numbers) ->
                tasks
                    .stages(table, numbers, status)
                    .forEach((number, stage) -> stages.put(new TaskId(number, table), stage)));
    return copies.stream()
        .filter(copy -> stages.containsKey(copy.copy().task()))
        .collect(groupingBy(copy -> stages.get(copy.copy().task()), TreeMap::new, toList()));
  }

  /** Gives each of these workers one of the copies; returns how many were moved. */
  private int move(JobRow team, List<Placed> copies, List<String> workers, Move why) {
    int moved = 0;
    for (int i = 0; i < workers.size(); i++) {
      moved += move(team, copies.get(i), workers.get(i), why) ? 1 : 0;
    }
    moves.increment(moved);
    return moved;
  }

  private boolean move(JobRow team, Placed copy, String worker, Move why) {
    TaskTable table = copy.copy().task().table();
    String lane = lanes.of(Set.of(worker), table); // before the transaction
    try {
      return runUnlessMoved(
          () -> {
            String stage = transactions.execute(() -> moveNow(team, copy, worker, lane, why));
            events.publish(new TasksWaiting(table.type(), Set.of(table), Set.of(stage), false));
          });
    } catch (DuplicateKeyException e) {
      return false; // another server has given the worker a copy meanwhile
    }
  }

  /** Returns the stage in which the copy waits for its new worker. */
  private String moveNow(JobRow team, Placed copy, String worker, String lane, Move why) {
    boolean hasFailed = why == Move.FAILED;
    TaskTable table = copy.copy().task().table();
    if (hasFailed && !newTaskTables.enter(table)) {
      throw new MovedException(table); // drained: only a retry of the job runs it again
    }
    TaskRow row = lock(team, copy, hasFailed ? TaskStatus.FAILED : TaskStatus.WAITING);
    MovedException.unless(teams.take(team.id(), copy, why), team.id());
    teams.give(team.id(), copy.copy().index(), List.of(worker));
    if (hasFailed) {
      TaskRow revived = TaskActs.revived(row).copy().lane(lane).row();
      transitions.change(List.of(TaskTransition.forced(row, revived)));
    } else {
      transitions.change(List.of(TaskTransition.of(row, row.copy().lane(lane).row(), null)));
    }
    MovedException.unless(jobs.lockIn(team.id(), JobState.RUNNING), team.id());
    return row.stage();
  }

  private void cancel(JobRow team, Placed copy) {
    runUnlessMoved(
        () ->
            transactions.run(
                () -> {
                  TaskRow row = lock(team, copy, TaskStatus.WAITING);
                  MovedException.unless(
                      lanes.workersOf(row.lane()).contains(copy.workerId()), team.id());
                  transitions.change(List.of(TaskTransition.cancelled(row)));
                }));
  }

  private TaskRow lock(JobRow team, Placed copy, TaskStatus status) {
    TaskId id = copy.copy().task();
    return tasks.lock(id.table(), List.of(id.number())).stream()
        .filter(row -> row.status() == status && row.isCopy())
        .findFirst()
        .orElseThrow(() -> new MovedException(team.id()));
  }
}
