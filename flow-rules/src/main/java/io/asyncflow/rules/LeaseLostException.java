package io.asyncflow.rules;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** The caller does not hold the task, or not any more. */
public class LeaseLostException extends FlowException {

  private static final long serialVersionUID = 1L;

  public LeaseLostException(TaskId id, String why) {
    super(ErrorCode.LEASE_LOST, id + ": " + why);
  }
}
