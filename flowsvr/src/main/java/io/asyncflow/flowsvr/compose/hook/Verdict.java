package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.flowsvr.compose.hook.egress.HookAnswer;
import io.asyncflow.rules.CodePoints;
import java.io.IOException;
import java.time.Duration;

/**
 * What an attempt came to.
 *
 * @param error empty if it was delivered
 * @param retryAfterMs the pause that the endpoint asked for; {@code null} for the type's
 */
record Verdict(Kind kind, String error, Long retryAfterMs) {

  private static final int GONE = 410;
  private static final int SHOWN_TEXT = 200;

  /** An endpoint cannot put a delivery off for longer. */
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  enum Kind {
    DELIVERED,
    FAILED,
    /** The endpoint wants no deliveries any more. */
    GONE
  }

  static Verdict of(HookAnswer answer) {
    if (answer.status() / 100 == 2) {
      return new Verdict(Kind.DELIVERED, "", null);
    }
    String text = shown(answer.text());
    String error = "answered " + answer.status() + (text.isEmpty() ? "" : ": " + text);
    return answer.status() == GONE
        ? new Verdict(Kind.GONE, error, null)
        : new Verdict(Kind.FAILED, error, answer.retryAfter().map(Verdict::capped).orElse(null));
  }

  /** There was no answer. */
  static Verdict of(IOException failure) {
    String message = failure.getMessage();
    return new Verdict(Kind.FAILED, shown(message == null ? failure.toString() : message), null);
  }

  private static String shown(String text) {
    return CodePoints.cut(text.replaceAll("\\p{Cntrl}+", " ").strip(), SHOWN_TEXT);
  }

  private static long capped(Duration pause) {
    return Math.min(pause.toMillis(), LONGEST_PAUSE.toMillis());
  }
}
