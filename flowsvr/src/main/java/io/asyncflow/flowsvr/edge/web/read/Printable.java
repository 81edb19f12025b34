package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.api.OneLine;

/** Client input made fit for an answer: shortened, and on one line. */
final class Printable {

  private Printable() {}

  /** At most so many characters of it. */
  static String of(String text, int maxLength) {
    if (text.length() <= maxLength) {
      return OneLine.of(text);
    }
    boolean splitsAPair = Character.isHighSurrogate(text.charAt(maxLength - 1));
    return OneLine.of(text.substring(0, splitsAPair ? maxLength - 1 : maxLength)) + "…";
  }
}
