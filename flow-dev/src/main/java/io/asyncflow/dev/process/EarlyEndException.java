package io.asyncflow.dev.process;

import io.asyncflow.dev.DevException;

/** A program ended before it was ready. */
public final class EarlyEndException extends DevException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  EarlyEndException(String message, int exitCode) {
    super(message);
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
