package io.asyncflow.worker;

/**
 * The machine lacks what the stage needs just now: memory of the device, or a program that starts.
 *
 * <p>Thrown by a {@link StageHandler}, it gives the task back for another try in a second, here or
 * elsewhere, and no attempt is counted; the third time in a row that one task meets it on this
 * worker, an attempt is.
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
