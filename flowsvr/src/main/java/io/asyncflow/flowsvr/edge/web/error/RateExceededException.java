package io.asyncflow.flowsvr.edge.web.error;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.time.Duration;

/** The caller exceeds a rate; the answer says when to try again. */
public class RateExceededException extends FlowException {

  private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  public RateExceededException(String message, Duration retryAfter) {
    super(ErrorCode.LIMIT_EXCEEDED, message);
    this.retryAfter = retryAfter;
  }

  public Duration retryAfter() {
    return retryAfter;
  }
}
