package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Finds out how the last runs of schedules stand. It reads the rows of the tasks and jobs
 * themselves, one statement a table, so there is no counter that could leak. Thread-safe.
 */
@Component
public class LastRuns {

  private final TaskStore tasks;
  private final JobStore jobs;
  private final TaskFamilies families;

  LastRuns(TaskStore tasks, JobStore jobs, TaskFamilies families) {
    this.tasks = tasks;
    this.jobs = jobs;
    this.families = families;
  }

  /**
   * How a run stands.
   *
   * @param status the final status; {@code null} while it lives
   * @param endTime epoch ms; {@code null} while it lives
   */
  record Standing(TaskStatus status, Long endTime) {}

  /** The ids of those schedules whose plan depends on their last run, and whose last run lives. */
  public Set<Long> living(Collection<ScheduleRow> schedules) {
    Map<Long, Standing> found = ofSchedules(schedules);
    return found.keySet().stream().filter(id -> found.get(id).status() == null).collect(toSet());
  }

  /**
   * How the last runs stand of those schedules whose plan depends on them, by the schedules' ids.
   * Runs whose rows were deleted are left out.
   */
  Map<Long, Standing> ofSchedules(Collection<ScheduleRow> schedules) {
    List<ScheduleRow> asked =
        schedules.stream()
            .filter(row -> row.problem() == null)
            .filter(row -> row.rules().dependsOnLastRun() && row.position().lastRun() != null)
            .toList();
    if (asked.isEmpty()) {
      return Map.of();
    }
    Map<Run, Standing> runs = read(asked.stream().map(LastRuns::lastRun).toList());
    Map<Long, Standing> found = new HashMap<>();
    for (ScheduleRow row : asked) {
      Standing last = runs.get(lastRun(row));
      if (last != null) {
        found.put(row.id(), last);
      }
    }
    return found;
  }

  static Run lastRun(ScheduleRow row) {
    return Run.parse(row.position().lastRun());
  }

  private Map<Run, Standing> read(List<Run> runs) {
    Map<Run, Standing> found = new HashMap<>();
    Map<TaskTable, List<Long>> numbers =
        runs.stream()
            .map(Run::task)
            .filter(task -> task != null && families.has(task.table()))
            .collect(groupingBy(TaskId::table, mapping(TaskId::number, toList())));
    numbers.forEach(
        (table, ofTable) ->
            tasks
                .find(table, ofTable)
                .forEach(task -> found.put(Run.of(task.id()), standing(task))));
    List<Long> jobIds = runs.stream().filter(run -> run.task() == null).map(Run::jobId).toList();
    if (!jobIds.isEmpty()) {
      jobs.find(jobIds)
          .forEach(
              job ->
                  found.put(
                      Run.ofJob(job.id()),
                      new Standing(RunEnds.statusOf(job.state()), job.endTime())));
    }
    return found;
  }

  /** A task that has ended is not changed any more. */
  private static Standing standing(TaskRow task) {
    return task.status().isFinal()
        ? new Standing(task.status(), task.modifyTime())
        : new Standing(null, null);
  }
}
