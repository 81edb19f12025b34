package io.asyncflow.dev;

/** What was asked for could not be done; the message is one sentence for a person. */
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
   * @param message what is wrong and what to do about it, in one sentence
   * @param cause the technical reason; may be null
   */
  public DevException(String message, Throwable cause) {
    super(message, cause);
  }
}
