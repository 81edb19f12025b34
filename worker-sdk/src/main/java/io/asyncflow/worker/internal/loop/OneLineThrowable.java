package io.asyncflow.worker.internal.loop;

import io.asyncflow.api.OneLine;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Objects;

/**
 * Throwables of handlers for the log: with their stack traces, but each message in one line. A
 * message may contain foreign text, and a line break in it could forge a log line.
 *
 * <p>What is logged is of the class that was thrown, which JSON logs name apart, if a constructor
 * of it takes the message alone. Instances of this class stand for all others.
 */
public final class OneLineThrowable extends Throwable {

  private static final long serialVersionUID = 1L;

  /** A chain of causes may be cyclic. */
  private static final int DEEPEST = 20;

  private OneLineThrowable(String text) {
    super(text);
  }

  /**
   * Returns the throwable itself if no message has a line break, else a one-line copy. Never
   * throws: for what a logger cannot read, the copy has the name of its class alone.
   */
  public static Throwable of(Throwable thrown) {
    try {
      return isPlain(thrown, 0) ? thrown : copy(thrown, 0);
    } catch (Throwable cannotBeRead) { // errors too
      return new OneLineThrowable(OneLine.ofThrowable(thrown));
    }
  }

  private static Throwable copy(Throwable thrown, int depth) {
    Throwable cause =
        depth < DEEPEST && thrown.getCause() != null ? copy(thrown.getCause(), depth + 1) : null;
    String text = OneLine.of(thrown.toString());
    Throwable copy = ofSameClass(thrown, text, cause);
    if (copy == null) {
      copy = new OneLineThrowable(text);
      if (cause != null) {
        copy.initCause(cause);
      }
    }
    copy.setStackTrace(thrown.getStackTrace());
    if (depth < DEEPEST) {
      for (Throwable suppressed : thrown.getSuppressed()) {
        copy.addSuppressed(copy(suppressed, depth + 1));
      }
    }
    return copy;
  }

  /** {@code null} if there can be none that reads the same. */
  private static Throwable ofSameClass(Throwable thrown, String text, Throwable cause) {
    try {
      Constructor<? extends Throwable> ofMessage =
          thrown.getClass().getDeclaredConstructor(String.class);
      if (Modifier.isPrivate(ofMessage.getModifiers()) || !ofMessage.trySetAccessible()) {
        return null;
      }
      Throwable copy = ofMessage.newInstance(OneLine.of(thrown.getMessage()));
      if (cause != null) {
        copy.initCause(cause);
      }
      return copy.getCause() == cause && text.equals(copy.toString()) ? copy : null;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  private static boolean isPlain(Throwable thrown, int depth) {
    if (thrown == null || depth > DEEPEST) {
      return true;
    }
    String text = thrown.toString() + thrown.getMessage();
    Objects.requireNonNull(thrown.getStackTrace());
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

  /** Without the name of this wrapper class. */
  @Override
  public String toString() {
    return getMessage();
  }
}
