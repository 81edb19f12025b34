package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.schedule.core.Run;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
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

  /** The ids of those schedules whose plan depends on their last run, and whose last run lives. */
  public Set<Long> living(Collection<ScheduleRow> schedules) {
    List<ScheduleRow> asked =
        schedules.stream()
            .filter(row -> row.problem() == null)
            .filter(row -> row.rules().dependsOnLastRun() && row.position().lastRun() != null)
            .toList();
    Set<Run> living = living(asked.stream().map(LastRuns::lastRun).toList());
    return asked.stream()
        .filter(row -> living.contains(lastRun(row)))
        .map(ScheduleRow::id)
        .collect(toSet());
  }

  static Run lastRun(ScheduleRow row) {
    return Run.parse(row.position().lastRun());
  }

  private Set<Run> living(List<Run> runs) {
    Set<Run> living = new HashSet<>();
    families
        .numbers(runs.stream().map(Run::task).filter(Objects::nonNull))
        .forEach(
            (table, numbers) ->
                tasks.find(table, numbers).stream()
                    .filter(task -> !task.status().isFinal())
                    .forEach(task -> living.add(Run.of(task.id()))));
    List<Long> jobIds = runs.stream().filter(run -> run.task() == null).map(Run::jobId).toList();
    if (!jobIds.isEmpty()) {
      jobs.find(jobIds).stream()
          .filter(job -> !job.state().isFinal())
          .forEach(job -> living.add(Run.ofJob(job.id())));
    }
    return living;
  }
}
