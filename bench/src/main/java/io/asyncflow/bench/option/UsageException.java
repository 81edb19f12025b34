package io.asyncflow.bench.option;

/** The bench cannot do what it was asked for; the message is one sentence for a person. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
