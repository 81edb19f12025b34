package io.asyncflow.flowsvr.edge.web.error;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** The request was not tried, because the database does not answer. */
public class DatabaseDownException extends FlowException {

  private static final long serialVersionUID = 1L;

  public DatabaseDownException() {
    super(ErrorCode.UNAVAILABLE, "the database does not answer");
  }
}
