package io.asyncflow.flowsvr.task.row;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.rules.TaskId;

/** There is no task with this id. */
public class TaskNotFoundException extends FlowException {

  private static final long serialVersionUID = 1L;

  public TaskNotFoundException(TaskId id) {
    this("there is no task " + id);
  }

  private TaskNotFoundException(String message) {
    super(ErrorCode.NO_SUCH_TASK, message);
  }

  /** The exception for a task that may have existed, but whose table was dropped. */
  public static TaskNotFoundException dropped(TaskId id) {
    return new TaskNotFoundException("there is no task " + id + " any more: its table was dropped");
  }
}
