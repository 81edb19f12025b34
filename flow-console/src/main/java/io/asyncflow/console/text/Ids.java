package io.asyncflow.console.text;

/** Ids that are too long for a list. */
public final class Ids {

  private static final int SHORT = 12;
  private static final int KEPT = 4;

  private Ids() {}

  /** The id with the middle of its number left out: {@code 2498…2417_tts_task_1}. */
  public static String cut(String id) {
    int digits = 0;
    while (digits < id.length() && Character.isDigit(id.charAt(digits))) {
      digits++;
    }
    return digits <= SHORT ? id : id.substring(0, KEPT) + "…" + id.substring(digits - KEPT);
  }
}
