package io.asyncflow.worker;

/**
 * The machine lacks a resource for the stage at the moment: device memory, or a program that
 * starts.
 *
 * <p>Thrown by a {@link StageHandler}, it releases the task to be run again in a second, on any
 * worker, and counts no attempt. The third time in a row for one task on this worker counts as a
 * failed attempt.
 */
public class ResourceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ResourceException(String message) {
    super(message);
  }

  public ResourceException(String message, Throwable cause) {
    super(message, cause);
  }
}
