package io.asyncflow.dev.text;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.TaskStatus;
import java.util.List;

/** Jobs as lines: many in a table, one with all that is known of it, or the children of one. */
public final class JobText {
  private JobText() {}

  /** One line a job, below a line of heads. */
  public static List<String> table(List<Job> jobs, TimeText times) {
    TextTable table = new TextTable("JOB", "STATE", "TYPE", "USER", "DONE", "FAILED", "CREATED");
    for (Job job : jobs) {
      table.add(
          job.jobId(),
          state(job),
          job.jobType(),
          job.userId(),
          done(job),
          Integer.toString(job.failed()),
          times.of(job.createTime()));
    }
    return table.lines();
  }

  /** All that is known of a job. */
  public static List<String> sheet(Job job, TimeText times) {
    return new Sheet(job.jobId())
        .line("state", state(job))
        .line("type", job.jobType())
        .line("children of", job.childType())
        .line("user", job.userId())
        .line("done", done(job))
        .line("failed", Integer.toString(job.failed()))
        .line("cancelled", Integer.toString(job.cancelled()))
        .line("if one fails", job.failurePolicy() == null ? null : job.failurePolicy().name())
        .line("at once", job.window() == null ? null : job.window() + " children")
        .line("split", job.splitTaskId())
        .line("merge", job.mergeTaskId())
        .line("schedule", job.scheduleId())
        .line("created", times.of(job.createTime()))
        .line("changed", times.of(job.modifyTime()))
        .line("ended", job.endTime() == null ? null : times.of(job.endTime()))
        .line("error", job.errMsg())
        .line("result", job.result())
        .lines();
  }

  /** One line a child, below a line of heads. */
  public static List<String> children(List<JobTask> children) {
    TextTable table = new TextTable("CHILD", "STATUS", "STAGE", "TASK", "WORKER", "TOOK", "ERROR");
    for (JobTask child : children) {
      table.add(
          Integer.toString(child.index()),
          child.status() == null ? "-" : TaskStatus.ofCode(child.status()).name(),
          child.taskStage(),
          child.taskId(),
          child.workerId(),
          child.costMs() == null ? null : TimeText.ofDuration(child.costMs()),
          child.errMsg());
    }
    return table.lines();
  }

  private static String state(Job job) {
    return job.state() + (Boolean.TRUE.equals(job.paused()) ? ", paused" : "");
  }

  private static String done(Job job) {
    return job.done() + " of " + (job.total() == null ? "?" : job.total().toString());
  }
}
