package io.asyncflow.flowsvr.system;

/** Lengths of texts as the database stores and the wire carries them. */
public final class Utf8 {

  private Utf8() {}

  /**
   * How many bytes the text takes; 0 for {@code null}. They are counted: to encode a long text
   * would take as much memory again.
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
