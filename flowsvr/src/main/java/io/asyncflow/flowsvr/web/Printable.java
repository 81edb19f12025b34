package io.asyncflow.flowsvr.web;

import java.util.regex.Pattern;

/** What a client has sent, as it may be said again in an answer: short, and without controls. */
final class Printable {

  /** Also what other programs than ours take for the end of a line. */
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  /** At most so many characters of it, with a replacement character for each control. */
  static String of(String text, int most) {
    String shortened = text;
    if (text.length() > most) {
      boolean splitsAPair = Character.isHighSurrogate(text.charAt(most - 1));
      shortened = text.substring(0, splitsAPair ? most - 1 : most) + "…";
    }
    return CONTROLS.matcher(shortened).replaceAll("\uFFFD");
  }
}
