package io.asyncflow.dev.text;

import java.util.regex.Pattern;

/** How wide a terminal shows a text, by the East Asian Width of Unicode. */
final class Columns {

  /** Letters of two columns: ideographs, kana, hangul, full-width forms and emoji. */
  private static final Pattern WIDE =
      Pattern.compile(
          "[\\x{1100}-\\x{115F}\\x{231A}\\x{231B}\\x{23E9}-\\x{23EC}\\x{2614}\\x{2615}\\x{2648}-\\x{2653}"
              + "\\x{26A1}\\x{26BD}\\x{26BE}\\x{26D4}\\x{2705}\\x{2728}\\x{274C}\\x{2753}-\\x{2757}"
              + "\\x{2B50}\\x{2B55}\\x{2E80}-\\x{303E}\\x{3041}-\\x{A4CF}\\x{A960}-\\x{A97C}"
              + "\\x{AC00}-\\x{D7A3}\\x{F900}-\\x{FAFF}\\x{FE10}-\\x{FE19}\\x{FE30}-\\x{FE6B}"
              + "\\x{FF01}-\\x{FF60}\\x{FFE0}-\\x{FFE6}\\x{16FE0}-\\x{1B2FB}\\x{1F18E}-\\x{1F265}"
              + "\\x{1F300}-\\x{1F64F}\\x{1F680}-\\x{1F6FC}\\x{1F7E0}-\\x{1F7F0}\\x{1F90C}-\\x{1FAFF}"
              + "\\x{20000}-\\x{3FFFD}&&[^\\p{M}]]");

  /** Marks on the letter before them, and letters that are not shown. */
  private static final Pattern NONE = Pattern.compile("[\\p{Mn}\\p{Me}\\p{Cf}&&[^\\x{AD}]]");

  private Columns() {}

  static int of(String text) {
    long letters = text.codePoints().count();
    return (int) (letters + count(WIDE, text) - count(NONE, text));
  }

  private static long count(Pattern letters, String text) {
    return letters.matcher(text).results().count();
  }
}
