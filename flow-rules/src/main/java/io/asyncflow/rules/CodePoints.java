package io.asyncflow.rules;

/** Lengths of texts in code points, as the database counts them. */
public final class CodePoints {

  private CodePoints() {}

  /** The beginning of a text: at most so many of its code points. */
  public static String cut(String text, int most) {
    return text.codePointCount(0, text.length()) <= most
        ? text
        : text.substring(0, text.offsetByCodePoints(0, most));
  }
}
