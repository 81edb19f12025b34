package io.asyncflow.flowsvr.task.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.rules.TaskType;

/** No row of {@code t_schedule_cfg} has this type. */
public final class NoSuchTaskTypeException extends FlowException {

  private static final long serialVersionUID = 1L;

  private final String taskType;

  public NoSuchTaskTypeException(TaskType type) {
    super(
        ErrorCode.NO_SUCH_TASK_TYPE,
        "there is no task type " + type.name() + "; /api/task_schedule_cfg/save creates one");
    this.taskType = type.name();
  }

  public String taskType() {
    return taskType;
  }
}
