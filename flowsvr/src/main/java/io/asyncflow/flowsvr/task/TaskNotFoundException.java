package io.asyncflow.flowsvr.task;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** There is no task with this id. */
public class TaskNotFoundException extends FlowException {

  private static final long serialVersionUID = 1L;

  public TaskNotFoundException(TaskId id) {
    super(ErrorCode.NO_SUCH_TASK, "there is no task " + id);
  }
}
