package io.asyncflow.worker.internal.report;

import io.asyncflow.rules.access.Secrets;
import io.asyncflow.worker.NonRetryableException;
import java.nio.charset.StandardCharsets;

/** Shortens a throwable to the 1,000 characters that a task's log stores. */
final class FailureText {

  private static final int LONGEST = 1000;
  private static final int LOOKED_AT = 10_000;
  private static final int FRAMES = 5;
  private static final int DEEPEST_CAUSE = 20;

  private FailureText() {}

  /**
   * The message alone of an exception with which a handler ends a run on purpose; for any other
   * throwable its type and message, its root cause, and the top stack frames. Never throws: of what
   * cannot be described it says less.
   */
  static String of(Throwable thrown) {
    try {
      return described(thrown);
    } catch (Throwable cannotBeDescribed) { // errors too
      return fit(describe(thrown));
    }
  }

  private static String described(Throwable thrown) {
    if (thrown instanceof NonRetryableException && hasMessage(thrown)) {
      return fit(thrown.getMessage());
    }
    StringBuilder text = new StringBuilder(describe(thrown));
    Throwable root = rootOf(thrown);
    if (root != thrown) {
      text.append("; caused by ").append(describe(root));
    }
    StackTraceElement[] frames = root.getStackTrace();
    for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
      text.append("\n  at ").append(frames[i]);
    }
    return fit(text.toString());
  }

  /**
   * Masks secrets, cuts the text to the length of the contract, and replaces characters that the
   * server cannot store. A message may have megabytes, of which only the beginning is looked at:
   * more than is left, so that a secret at the end is masked as a whole.
   */
  static String fit(String text) {
    String masked = Secrets.masked(text.substring(0, Math.min(text.length(), LOOKED_AT)));
    String cut = masked.length() <= LONGEST ? masked : masked.substring(0, LONGEST - 1) + "…";
    cut = cut.replace('\0', '\uFFFD');
    // An unpaired surrogate becomes a question mark.
    return new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static boolean hasMessage(Throwable thrown) {
    return thrown.getMessage() != null && !thrown.getMessage().isBlank();
  }

  private static Throwable rootOf(Throwable thrown) {
    Throwable root = thrown;
    // A chain of causes may be cyclic.
    for (int i = 0; i < DEEPEST_CAUSE && root.getCause() != null; i++) {
      root = root.getCause();
    }
    return root;
  }

  private static String describe(Throwable thrown) {
    String type = thrown.getClass().getName();
    try {
      String message = thrown.getMessage();
      return message == null ? type : type + ": " + message;
    } catch (Throwable e) { // errors too
      return type + " (its message cannot be read: " + e.getClass().getName() + ")";
    }
  }
}
