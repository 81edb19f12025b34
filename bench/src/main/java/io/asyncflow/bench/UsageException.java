package io.asyncflow.bench;

/** The bench cannot do what it was asked for; the message is one sentence for a person. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
