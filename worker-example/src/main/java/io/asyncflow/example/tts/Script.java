package io.asyncflow.example.tts;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Cuts a text into passages. */
final class Script {

  private Script() {}

  /**
   * A paragraph, or some sentences of a long one: the context of a child.
   *
   * @param paragraph the number of the paragraph, from 1
   */
  record Passage(int paragraph, String text) {}

  /**
   * Cuts a text at empty lines into paragraphs, and long paragraphs between sentences.
   *
   * <p>A paragraph without letters and digits, such as {@code * * *} between scenes, is omitted.
   *
   * @param length the longest passage, in characters, 2 at least
   * @return the passages in order, at least one for each paragraph
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

  /** Whether the character is spoken; signs and spaces are not. */
  static boolean isSpoken(int codePoint) {
    return Character.isAlphabetic(codePoint) || Character.isDigit(codePoint);
  }

  /** Splits by lines, because the regex {@code \R\R} matches a single CRLF. */
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

  /** Joins as many sentences as fit into a passage; a longer sentence is cut at a space. */
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
