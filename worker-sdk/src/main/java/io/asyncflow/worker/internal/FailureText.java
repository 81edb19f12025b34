package io.asyncflow.worker.internal;

/** A throwable in the thousand characters that a task's log has for it. */
final class FailureText {

  private static final int LONGEST = 1000;
  private static final int FRAMES = 5;
  private static final int DEEPEST_CAUSE = 20;

  private FailureText() {}

  /** What was thrown, its root cause, and where that came from. */
  static String of(Throwable thrown) {
    StringBuilder text = new StringBuilder(describe(thrown));
    Throwable root = rootOf(thrown);
    if (root != thrown) {
      text.append("; caused by ").append(describe(root));
    }
    StackTraceElement[] frames = root.getStackTrace();
    for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
      text.append("\n  at ").append(frames[i]);
    }
    return cut(text.toString());
  }

  static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
  }

  private static Throwable rootOf(Throwable thrown) {
    Throwable root = thrown;
    // A chain of causes may be a ring.
    for (int i = 0; i < DEEPEST_CAUSE && root.getCause() != null; i++) {
      root = root.getCause();
    }
    return root;
  }

  private static String describe(Throwable thrown) {
    String message;
    try {
      message = thrown.getMessage();
    } catch (RuntimeException e) {
      message = "(its message cannot be read: " + e.getClass().getName() + ")";
    }
    return message == null
        ? thrown.getClass().getName()
        : thrown.getClass().getName() + ": " + message;
  }
}
