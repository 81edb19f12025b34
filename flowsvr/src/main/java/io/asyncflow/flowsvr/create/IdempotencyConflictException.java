package io.asyncflow.flowsvr.create;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** The idempotency key was used before with another body. */
public class IdempotencyConflictException extends FlowException {

  private static final long serialVersionUID = 1L;

  public IdempotencyConflictException(String key) {
    super(
        ErrorCode.IDEMPOTENCY_CONFLICT,
        "the idempotency key " + key + " was used with another body");
  }
}
