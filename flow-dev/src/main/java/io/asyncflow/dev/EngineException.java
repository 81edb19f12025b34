package io.asyncflow.dev;

/** An embedded engine could not do what was asked; the message is one sentence for a person. */
public class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong and what to do about it, in one sentence
   */
  public EngineException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what is wrong and what to do about it, in one sentence
   * @param cause the technical reason; may be null
   */
  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
