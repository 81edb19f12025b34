package io.asyncflow.api;

import java.util.regex.Pattern;

/**
 * Text of others, fit for a line of a log or for a terminal: a line break in it would forge a line
 * of ours, and an escape sequence would command the terminal.
 */
public final class OneLine {

  /** Control characters, the other ends of lines, and what turns the direction of writing. */
  private static final Pattern NOT_SHOWN =
      Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}]");

  private OneLine() {}

  /**
   * The text with a space for each line break and tab, and U+FFFD for all else that is not shown.
   *
   * @param text may be {@code null}, which is answered as it is
   */
  public static String of(String text) {
    return text == null
        ? null
        : NOT_SHOWN
            .matcher(text)
            .replaceAll(found -> Character.isWhitespace(found.group().charAt(0)) ? " " : "\uFFFD");
  }
}
