package io.asyncflow.api;

import java.util.List;

/**
 * The root of everything that a call can be refused with, on the server as in the client.
 *
 * <p>Each situation that a caller may want to tell apart has a subclass or at least a code of its
 * own; {@link #retryable()} says whether the same request may succeed later.
 */
public class FlowException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode errorCode;
  private final transient List<FieldError> errors;

  public FlowException(ErrorCode errorCode, String message) {
    this(errorCode, message, List.of(), null);
  }

  public FlowException(
      ErrorCode errorCode, String message, List<FieldError> errors, Throwable cause) {
    super(message, cause);
    this.errorCode = errorCode;
    this.errors = List.copyOf(errors);
  }

  public ErrorCode errorCode() {
    return errorCode;
  }

  public boolean retryable() {
    return errorCode.retryable();
  }

  /** Every bad field at once; empty unless the input was invalid. */
  public List<FieldError> errors() {
    return errors == null ? List.of() : errors;
  }
}
