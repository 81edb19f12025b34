package io.asyncflow.api;

import java.util.List;

/**
 * The root of all errors with which a call can be refused, on the server and in the client.
 *
 * <p>Each situation that a caller may handle differently has its own subclass or its own {@link
 * ErrorCode}. {@link #retryable()} says whether the same request may succeed later.
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

  /** All invalid fields; empty unless the input was invalid. Never {@code null}. */
  public List<FieldError> errors() {
    return errors == null ? List.of() : errors;
  }
}
