package io.asyncflow.flowsvr.task;

import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;

/**
 * A waiting task that is to be inserted.
 *
 * @param place its role in a job; {@code null} outside jobs
 * @param lane of the workers that may hold it
 */
public record NewRow(TaskId id, TaskDraft task, JobPlace place, String lane) {

  /** The same row as another task. */
  public NewRow withId(TaskId other) {
    return new NewRow(other, task, place, lane);
  }
}
