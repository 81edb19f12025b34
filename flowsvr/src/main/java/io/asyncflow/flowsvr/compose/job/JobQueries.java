package io.asyncflow.flowsvr.compose.job;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.Utf8;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.compose.job.core.NoSuchJobException;
import io.asyncflow.flowsvr.compose.job.core.TeamStore;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.field.JobFields;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.springframework.stereotype.Service;

/** Reads jobs, their input and their children. */
@Service
class JobQueries {

  /** The number of jobs that one page of a filtered list scans. */
  private static final int SCAN_LIMIT = 1_000;

  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final TeamStore teams;
  private final TaskStore tasks;
  private final TaskFamilies families;

  JobQueries(
      JobStore jobs,
      JobTaskStore jobTasks,
      TeamStore teams,
      TaskStore tasks,
      TaskFamilies families) {
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.teams = teams;
    this.tasks = tasks;
    this.families = families;
  }

  /**
   * The job with this id.
   *
   * @throws NoSuchJobException if the caller sees none
   */
  JobRow get(long jobId, Caller caller) {
    return jobs.get(jobId, caller);
  }

  /**
   * The job with this id, if it still has its input.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_JOB} if the input was deleted
   */
  JobRow getWithInput(long jobId) {
    JobRow job = jobs.get(jobId);
    if (!job.inputKept()) {
      throw new FlowException(
          ErrorCode.NO_SUCH_JOB,
          "the input of job " + jobId + " was deleted, some time after the job succeeded");
    }
    return job;
  }

  /**
   * Jobs, newest first. A page scans a bounded number of them.
   *
   * @param scope jobs beyond it are not scanned
   */
  JobPage list(JobFields.Listed listed, Scope scope) {
    int limit = listed.limit();
    int scanLimit = listed.takesAll() ? limit : Math.max(limit, SCAN_LIMIT);
    List<JobRow> scanned = jobs.newest(listed.userId(), listed.before(), scanLimit, scope);
    List<Job> page = new ArrayList<>();
    String nextCursor = null;
    for (int i = 0; i < scanned.size() && page.size() < limit; i++) {
      JobRow job = scanned.get(i);
      if (listed.takes(job.jobType().name(), job.state())) {
        page.add(job.toJob());
      }
      boolean isLast = i == scanned.size() - 1;
      nextCursor = isLast && scanned.size() < scanLimit ? null : Long.toString(job.id());
    }
    return new JobPage(page, nextCursor);
  }

  /**
   * Writes the input of a job part by part, so that it is never in memory as a whole and no
   * database connection waits for a slow client.
   */
  void writeInput(long jobId, OutputStream out) throws IOException {
    int part = 0;
    for (Optional<byte[]> content = jobs.findInput(jobId, part);
        content.isPresent();
        content = jobs.findInput(jobId, ++part)) {
      out.write(content.get());
    }
  }

  /**
   * The children of a job in their order; fewer than {@code limit} if their texts do not fit into
   * one answer.
   *
   * @param statuses empty for all; a page scans {@code limit} children and shows those with these
   *     statuses
   * @param from the index of the first child
   */
  JobTaskPage children(long jobId, Set<TaskStatus> statuses, int from, int limit) {
    JobRow job = jobs.get(jobId);
    int total = job.total() == null ? 0 : job.total();
    int end = (int) Math.min((long) from + limit, total);
    Map<Integer, Child> children = new HashMap<>();
    if (from < end) {
      jobTasks
          .tasks(jobId, job.childType(), from, end - from)
          .forEach(child -> children.put(child.index(), child));
    }
    Map<Integer, String> workers =
        job.isTeam() && from < end ? teams.workers(jobId, from, end - from) : Map.of();
    List<JobTask> page = new ArrayList<>();
    AnswerRoom room = new AnswerRoom();
    for (int first = from; first < end; first += AnswerRoom.SLICE) {
      List<Integer> slice =
          IntStream.range(first, Math.min(first + AnswerRoom.SLICE, end)).boxed().toList();
      Map<TaskId, TaskRow> rows =
          rowsOf(slice.stream().map(children::get).filter(Objects::nonNull).toList());
      for (int index : slice) {
        JobTask child =
            toJobTask(
                job, index, Optional.ofNullable(children.get(index)), rows, workers.get(index));
        if (!isWanted(child, statuses)) {
          continue;
        }
        if (!room.take(Utf8.length(child.result()) + Utf8.length(child.errMsg()))) {
          return new JobTaskPage(page, "" + index);
        }
        page.add(child);
      }
    }
    return new JobTaskPage(page, end < total ? "" + end : null);
  }

  private Map<TaskId, TaskRow> rowsOf(Collection<Child> children) {
    Map<TaskId, TaskRow> rows = new HashMap<>();
    families
        .numbers(children.stream().map(Child::task))
        .forEach(
            (table, numbers) -> tasks.find(table, numbers).forEach(row -> rows.put(row.id(), row)));
    return rows;
  }

  private static JobTask toJobTask(
      JobRow job, int index, Optional<Child> child, Map<TaskId, TaskRow> rows, String worker) {
    if (child.isEmpty()) {
      TaskStatus status = job.state().isFinal() ? TaskStatus.CANCELLED : TaskStatus.WAITING;
      return new JobTask(index, null, null, status.code(), null, null, null, null, worker);
    }
    String taskId = child.get().task().toString();
    TaskRow row = rows.get(child.get().task());
    if (row == null) {
      return new JobTask(index, taskId, null, null, null, null, null, null, worker);
    }
    ScheduleLog.Last last = ScheduleLog.last(row.scheduleLog());
    return new JobTask(
        index,
        taskId,
        row.stage(),
        row.status().code(),
        row.progress(),
        row.result(),
        row.status() == TaskStatus.SUCCESS ? null : last.error(),
        last.costMs(),
        worker != null ? worker : row.workerId().isEmpty() ? null : row.workerId());
  }

  private static boolean isWanted(JobTask child, Set<TaskStatus> statuses) {
    return statuses.isEmpty()
        || child.status() != null && statuses.contains(TaskStatus.ofCode(child.status()));
  }
}
