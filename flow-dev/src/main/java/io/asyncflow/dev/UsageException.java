package io.asyncflow.dev;

/** The command line cannot be understood; the message is one sentence for a person. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
