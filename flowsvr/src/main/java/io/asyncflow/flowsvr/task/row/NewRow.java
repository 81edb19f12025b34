package io.asyncflow.flowsvr.task.row;

import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;

/**
 * A task that is to be inserted.
 *
 * @param place its role in a job; {@code null} outside jobs
 * @param lane of the workers that may hold it
 * @param held its row, if it is inserted as held; {@code null} if it waits
 */
public record NewRow(TaskId id, TaskDraft task, JobPlace place, String lane, TaskRow held) {

  /** A row that waits. */
  public NewRow(TaskId id, TaskDraft task, JobPlace place, String lane) {
    this(id, task, place, lane, null);
  }

  /** The same row as another task. */
  public NewRow withId(TaskId other) {
    return new NewRow(other, task, place, lane, held);
  }

  /** The same row, inserted as held. */
  public NewRow heldAs(TaskRow row) {
    return new NewRow(id, task, place, lane, row);
  }

  /**
   * The row as it waits.
   *
   * @param now epoch ms of the database at which it is created
   */
  public TaskRow waiting(long now) {
    return task.waiting(id, place, now);
  }
}
