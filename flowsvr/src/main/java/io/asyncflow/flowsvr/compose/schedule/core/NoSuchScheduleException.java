package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** There is no schedule of this id or name. */
public class NoSuchScheduleException extends FlowException {

  private static final long serialVersionUID = 1L;

  public NoSuchScheduleException(String idOrName) {
    super(ErrorCode.NO_SUCH_SCHEDULE, "there is no schedule " + idOrName);
  }
}
