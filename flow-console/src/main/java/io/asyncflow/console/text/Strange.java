package io.asyncflow.console.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A text that a stranger wrote. Characters that are not seen, or that move others, are shown by
 * their numbers: escaping stops a text from being code, and not from looking like another text.
 *
 * @param parts in their order
 */
public record Strange(List<Part> parts) {

  private static final int JOINER = 0x200D;
  private static final int TAGS = 0xE0000;
  private static final int PLANE_END = 0xE0FFF;

  /**
   * A piece of the text.
   *
   * @param text as it is, or {@code U+202E}
   * @param isMark whether it stands for a character that is not seen
   */
  public record Part(String text, boolean isMark) {}

  public static Strange of(String text) {
    List<Part> parts = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    int before = 0;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      int after = i + Character.charCount(point);
      boolean joins = point == JOINER && isPicture(before) && after < text.length();
      if (isUnseen(point) && !joins) {
        if (!plain.isEmpty()) {
          parts.add(new Part(plain.toString(), false));
          plain.setLength(0);
        }
        parts.add(new Part(String.format(Locale.ROOT, "U+%04X", point), true));
      } else {
        plain.appendCodePoint(point);
      }
      before = point;
      i = after;
    }
    if (!plain.isEmpty()) {
      parts.add(new Part(plain.toString(), false));
    }
    return new Strange(List.copyOf(parts));
  }

  /**
   * The text for a place that takes no marks: {@code ⟨U+202E⟩} for a character that is not seen.
   */
  public static String visible(String text) {
    if (text.codePoints().noneMatch(Strange::isUnseen)) {
      return text;
    }
    StringBuilder visible = new StringBuilder();
    for (Part part : of(text).parts()) {
      visible.append(part.isMark() ? "⟨" + part.text() + "⟩" : part.text());
    }
    return visible.toString();
  }

  /** Of pictures that a joiner makes one of, as of families and flags. */
  private static boolean isPicture(int point) {
    return point >= 0x1F000 || point >= 0x2190 && point <= 0x2BFF || point == 0xFE0F;
  }

  private static boolean isUnseen(int point) {
    if (point == '\n' || point == '\t' || point == 0xFE0F) {
      return false;
    }
    int kind = Character.getType(point);
    return kind == Character.CONTROL
        || kind == Character.FORMAT
        || kind == Character.SURROGATE
        || kind == Character.LINE_SEPARATOR
        || kind == Character.PARAGRAPH_SEPARATOR
        || point >= TAGS && point <= PLANE_END
        || point == 0x115F
        || point == 0x1160
        || point == 0x3164
        || point == 0xFFA0;
  }
}
