package io.asyncflow.example.tts;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Cuts a text into what is spoken at a time. */
final class Script {

  private Script() {}

  /**
   * A paragraph, or some sentences of a long one; the context of a child.
   *
   * @param paragraph which one, from 1
   */
  record Passage(int paragraph, String text) {}

  /**
   * Cuts a text into its paragraphs, which empty lines separate, and long ones between sentences.
   *
   * <p>A paragraph without any letter or digit, as the {@code * * *} between two scenes, is left
   * out: there is nothing to say.
   *
   * @param length the longest passage, in characters, 2 at least
   * @return at least one a paragraph, in order
   */
  static List<Passage> passagesOf(String text, int length) {
    List<Passage> passages = new ArrayList<>();
    int paragraphs = 0;
    for (String paragraph : paragraphsOf(text)) {
      if (paragraph.codePoints().anyMatch(Script::isSpoken)) {
        paragraphs++;
        for (String part : cut(paragraph, length)) {
          passages.add(new Passage(paragraphs, part));
        }
      }
    }
    return passages;
  }

  /** Whether it stands for a sound; signs and spaces do not. */
  static boolean isSpoken(int codePoint) {
    return Character.isAlphabetic(codePoint) || Character.isDigit(codePoint);
  }

  /** By lines, as the regex {@code \R\R} takes a single CRLF for an empty line. */
  private static List<String> paragraphsOf(String text) {
    List<String> paragraphs = new ArrayList<>();
    StringBuilder paragraph = new StringBuilder();
    for (String line : (Iterable<String>) text.lines()::iterator) {
      if (!line.isBlank()) {
        paragraph.append(paragraph.isEmpty() ? "" : " ").append(line.strip());
      } else if (!paragraph.isEmpty()) {
        paragraphs.add(paragraph.toString());
        paragraph.setLength(0);
      }
    }
    if (!paragraph.isEmpty()) {
      paragraphs.add(paragraph.toString());
    }
    return paragraphs;
  }

  /** Takes as many sentences as fit; what is longer than a passage by itself is cut at a space. */
  private static List<String> cut(String paragraph, int length) {
    BreakIterator sentences = BreakIterator.getSentenceInstance(Locale.ENGLISH);
    sentences.setText(paragraph);
    List<String> parts = new ArrayList<>();
    int start = 0;
    while (paragraph.length() - start > length) {
      int end = sentences.preceding(start + length + 1);
      if (end <= start) {
        end = paragraph.lastIndexOf(' ', start + length);
      }
      if (end <= start) {
        end = start + length;
        end -= Character.isHighSurrogate(paragraph.charAt(end - 1)) ? 1 : 0;
      }
      addIfSpoken(parts, paragraph.substring(start, end));
      start = end;
      while (start < paragraph.length() && paragraph.charAt(start) == ' ') {
        start++;
      }
    }
    addIfSpoken(parts, paragraph.substring(start));
    return parts;
  }

  private static void addIfSpoken(List<String> parts, String part) {
    if (part.codePoints().anyMatch(Script::isSpoken)) {
      parts.add(part.strip());
    }
  }
}
