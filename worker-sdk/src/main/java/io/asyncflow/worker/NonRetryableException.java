package io.asyncflow.worker;

/** A retry cannot help; thrown by a {@link StageHandler}, it fails the task for good. */
public class NonRetryableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public NonRetryableException(String message) {
    super(message);
  }

  public NonRetryableException(String message, Throwable cause) {
    super(message, cause);
  }
}
