package io.asyncflow.flowsvr.web;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** A request that was not even tried, because the database does not answer at the moment. */
class DatabaseDownException extends FlowException {

  private static final long serialVersionUID = 1L;

  DatabaseDownException() {
    super(ErrorCode.UNAVAILABLE, "the database does not answer");
  }
}
