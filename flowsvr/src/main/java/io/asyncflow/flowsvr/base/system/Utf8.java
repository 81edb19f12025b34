package io.asyncflow.flowsvr.base.system;

/** Lengths of texts in UTF-8, as in the database and on the wire. */
public final class Utf8 {

  private Utf8() {}

  /**
   * The length of the text in bytes; 0 for {@code null}. Counts without encoding, which would take
   * as much memory again.
   */
  public static long length(String text) {
    long bytes = 0;
    for (int i = 0; text != null && i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isHalfOfFour = Character.isSurrogate(c);
      bytes += c < 0x80 ? 1 : c < 0x800 || isHalfOfFour ? 2 : 3;
    }
    return bytes;
  }
}
