package io.asyncflow.flowsvr.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Finds out which schedules' last runs live. It reads the rows of the tasks and jobs themselves,
 * one statement a table, so there is no counter that could leak. Thread-safe.
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

  /** The ids of those schedules whose plan depends on their last run, and whose last run lives. */
  public Set<Long> living(Collection<ScheduleRow> schedules) {
    List<ScheduleRow> asked =
        schedules.stream()
            .filter(row -> row.problem() == null)
            .filter(row -> row.rules().dependsOnLastRun() && row.position().lastRun() != null)
            .toList();
    if (asked.isEmpty()) {
      return Set.of();
    }
    Set<Run> alive = alive(asked.stream().map(LastRuns::lastRun).toList());
    Set<Long> living = new HashSet<>();
    for (ScheduleRow row : asked) {
      if (alive.contains(lastRun(row))) {
        living.add(row.id());
      }
    }
    return living;
  }

  static Run lastRun(ScheduleRow row) {
    return Run.parse(row.position().lastRun());
  }

  private Set<Run> alive(List<Run> runs) {
    Set<Run> alive = new HashSet<>();
    Map<TaskTable, List<Long>> numbers =
        runs.stream()
            .map(Run::task)
            .filter(task -> task != null && families.has(task.table()))
            .collect(groupingBy(TaskId::table, mapping(TaskId::number, toList())));
    numbers.forEach(
        (table, ofTable) ->
            tasks.findBriefly(table, ofTable).stream()
                .filter(task -> !task.status().isFinal())
                .forEach(task -> alive.add(Run.of(task.id()))));
    List<Long> jobIds = runs.stream().filter(run -> run.task() == null).map(Run::jobId).toList();
    if (!jobIds.isEmpty()) {
      jobs.find(jobIds).stream()
          .filter(job -> !job.state().isFinal())
          .forEach(job -> alive.add(Run.ofJob(job.id())));
    }
    return alive;
  }
}
