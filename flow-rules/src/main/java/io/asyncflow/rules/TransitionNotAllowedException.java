package io.asyncflow.rules;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;

/** The task is final, or its status does not allow the wanted one. */
public class TransitionNotAllowedException extends FlowException {

  private static final long serialVersionUID = 1L;

  public TransitionNotAllowedException(TaskId id, String why) {
    super(ErrorCode.TRANSITION_NOT_ALLOWED, id + ": " + why);
  }

  /** The exception for a task that has ended with this status. */
  public static TransitionNotAllowedException afterEnd(TaskId id, TaskStatus status) {
    return new TransitionNotAllowedException(id, end(status));
  }

  static String end(TaskStatus status) {
    return "the task is final: "
        + status
        + (status == TaskStatus.SUCCESS ? "" : "; only an operator's retry runs it again");
  }
}
