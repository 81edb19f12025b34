package io.asyncflow.dev;

/** The command line cannot be understood; the message is one sentence for a person. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
