package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.rules.TaskId;

/**
 * What a fire created: a task or a job.
 *
 * @param task {@code null} for a job
 * @param jobId {@code null} for a task
 */
public record Run(TaskId task, Long jobId) {

  public static Run of(TaskId task) {
    return new Run(task, null);
  }

  public static Run ofJob(long jobId) {
    return new Run(null, jobId);
  }

  /** Reads what {@link #toString} wrote; {@code null} for {@code null}. */
  public static Run parse(String text) {
    if (text == null) {
      return null;
    }
    return TaskId.parse(text).map(Run::of).orElseGet(() -> ofJob(Long.parseLong(text)));
  }

  /** The id as the API shows it. */
  @Override
  public String toString() {
    return task == null ? Long.toString(jobId) : task.toString();
  }
}
