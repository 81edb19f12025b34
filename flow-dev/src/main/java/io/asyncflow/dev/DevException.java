package io.asyncflow.dev;

/** A command failed; the message is one sentence for the user. */
public class DevException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong and what to do about it, in one sentence
   */
  public DevException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message the problem and its remedy, in one sentence
   * @param cause the technical reason; may be null
   */
  public DevException(String message, Throwable cause) {
    super(message, cause);
  }
}
