package io.asyncflow.rules.schedule;

/** Text from outside that may be repeated in a message: short, and printable ASCII alone. */
final class PlainText {

  private PlainText() {}

  /**
   * The text itself.
   *
   * @param what begins the message
   * @throws IllegalArgumentException if it is {@code null}, longer than {@code maxLength}, or has
   *     other characters; the message does not repeat them
   */
  static String required(String what, String text, int maxLength) {
    if (text == null) {
      throw new IllegalArgumentException(what + ": missing");
    }
    if (text.length() > maxLength) {
      throw new IllegalArgumentException(
          what + ": at most " + maxLength + " characters, not " + text.length());
    }
    if (!text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      throw new IllegalArgumentException(what + ": only printable characters of ASCII");
    }
    return text;
  }
}
