package io.asyncflow.dev;

/** The command line is invalid; the message is one sentence for the user. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
