package io.asyncflow.api;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Makes text from outside safe for a log line or a terminal: a line break in it could forge a log
 * line, an escape sequence could control the terminal.
 */
public final class OneLine {

  /**
   * Control characters, line and paragraph separators, and characters that change the direction of
   * writing.
   */
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}]");

  private OneLine() {}

  /**
   * Replaces each line break and tab with a space and every other unsafe character with U+FFFD.
   *
   * @param text may be {@code null}; then {@code null} is returned
   */
  public static String of(String text) {
    return text == null
        ? null
        : UNSAFE
            .matcher(text)
            .replaceAll(match -> Character.isWhitespace(match.group().charAt(0)) ? " " : "\uFFFD");
  }

  /**
   * What a throwable says of itself; the name of its class if it throws instead, or says nothing.
   */
  public static String ofThrowable(Throwable thrown) {
    try {
      return Objects.requireNonNull(of(thrown.toString()));
    } catch (Throwable cannotSay) { // errors too, as of a message that describes itself
      return thrown.getClass().getName();
    }
  }
}
