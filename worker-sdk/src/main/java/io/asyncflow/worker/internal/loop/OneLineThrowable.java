package io.asyncflow.worker.internal.loop;

import io.asyncflow.api.OneLine;

/**
 * A throwable of a handler for the log: with its stack traces, but each message in one line. A
 * message may contain foreign text, and a line break in it could forge a log line.
 */
public final class OneLineThrowable extends Throwable {

  private static final long serialVersionUID = 1L;

  /** A chain of causes may be cyclic. */
  private static final int DEEPEST = 20;

  private OneLineThrowable(Throwable thrown, int depth) {
    super(OneLine.of(textOf(thrown)));
    setStackTrace(thrown.getStackTrace());
    if (depth < DEEPEST) {
      if (thrown.getCause() != null) {
        initCause(new OneLineThrowable(thrown.getCause(), depth + 1));
      }
      for (Throwable suppressed : thrown.getSuppressed()) {
        addSuppressed(new OneLineThrowable(suppressed, depth + 1));
      }
    }
  }

  /** Returns the throwable itself if no message has a line break, else a one-line copy. */
  public static Throwable of(Throwable thrown) {
    return isPlain(thrown, 0) ? thrown : new OneLineThrowable(thrown, 0);
  }

  private static boolean isPlain(Throwable thrown, int depth) {
    if (thrown == null || depth > DEEPEST) {
      return true;
    }
    String text = textOf(thrown);
    if (!text.equals(OneLine.of(text)) || !isPlain(thrown.getCause(), depth + 1)) {
      return false;
    }
    for (Throwable suppressed : thrown.getSuppressed()) {
      if (!isPlain(suppressed, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  private static String textOf(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (RuntimeException e) {
      return thrown.getClass().getName();
    }
  }

  /** Without the name of this wrapper class. */
  @Override
  public String toString() {
    return getMessage();
  }
}
