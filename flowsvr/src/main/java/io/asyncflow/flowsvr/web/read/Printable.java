package io.asyncflow.flowsvr.web.read;

import io.asyncflow.api.OneLine;

/** What a client has sent, as it may be said again in an answer: short, and on one line. */
final class Printable {

  private Printable() {}

  /** At most so many characters of it. */
  static String of(String text, int most) {
    if (text.length() <= most) {
      return OneLine.of(text);
    }
    boolean splitsAPair = Character.isHighSurrogate(text.charAt(most - 1));
    return OneLine.of(text.substring(0, splitsAPair ? most - 1 : most)) + "…";
  }
}
