package io.asyncflow.flowsvr.operate.search.words;

import java.util.ArrayList;
import java.util.List;

/**
 * Takes the text of a search apart into words: {@code type:tts status:failed,waiting age>10m
 * text:"no tape" 2498…_tts_task_1}. Pure.
 *
 * <p>A word is {@code name:value}, {@code name<value} or {@code name>value}, or a value alone.
 * Commas separate values. A value in quotes may have any characters; {@code \"} and {@code \\}
 * stand for a quote and a backslash.
 */
public final class SearchWords {

  /** The words of one text and what is wrong with it. */
  public record Parsed(List<Word> words, List<String> errors) {}

  /**
   * A word.
   *
   * @param name empty for a value alone
   * @param operator {@code :}, {@code <} or {@code >}
   * @param values at least one
   */
  public record Word(String name, char operator, List<String> values) {}

  static final int MOST = 50;

  private final String text;
  private final List<Word> words = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private int at;

  private SearchWords(String text) {
    this.text = text;
  }

  public static Parsed parse(String text) {
    SearchWords words = new SearchWords(text);
    words.readAll();
    return new Parsed(words.words, words.errors);
  }

  private void readAll() {
    skipSpaces();
    while (at < text.length() && errors.isEmpty()) {
      readWord();
      skipSpaces();
    }
    if (words.size() > MOST) {
      errors.add("must have at most " + MOST + " words");
    }
  }

  private void readWord() {
    int begin = at;
    int nameEnd = nameEnd();
    if (nameEnd < 0) {
      String value = text.charAt(at) == '"' ? quoted() : plain(false);
      words.add(new Word("", ':', List.of(value)));
      return;
    }
    String name = text.substring(begin, nameEnd);
    char operator = text.charAt(nameEnd);
    at = nameEnd + 1;
    List<String> values = new ArrayList<>();
    do {
      values.add(at < text.length() && text.charAt(at) == '"' ? quoted() : plain(true));
    } while (skipComma());
    if (values.contains("")) {
      errors.add("has no value behind " + name + operator);
    }
    words.add(new Word(name, operator, values));
  }

  /** Where the operator stands, if the word begins with a name and one; -1 otherwise. */
  private int nameEnd() {
    int end = at;
    while (end < text.length() && isOfName(text.charAt(end))) {
      end++;
    }
    boolean hasOperator = end > at && end < text.length() && ":<>".indexOf(text.charAt(end)) >= 0;
    return hasOperator ? end : -1;
  }

  private static boolean isOfName(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
  }

  private String plain(boolean endsAtComma) {
    int begin = at;
    while (at < text.length()
        && !isSpace(text.charAt(at))
        && text.charAt(at) != '"'
        && !(endsAtComma && text.charAt(at) == ',')) {
      at++;
    }
    if (at < text.length() && text.charAt(at) == '"') {
      errors.add("has a quote within a word; quote the whole value");
    }
    return text.substring(begin, at);
  }

  private String quoted() {
    StringBuilder value = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        requireEnd();
        return value.toString();
      }
      if (c == '\\' && at + 1 < text.length()) {
        at++;
        c = text.charAt(at);
        if (c != '"' && c != '\\') {
          value.append('\\');
        }
      }
      value.append(c);
    }
    errors.add("has a quote that is not closed");
    return value.toString();
  }

  private void requireEnd() {
    if (at < text.length() && !isSpace(text.charAt(at)) && text.charAt(at) != ',') {
      errors.add("needs a space or a comma behind a closing quote");
    }
  }

  private boolean skipComma() {
    if (at < text.length() && text.charAt(at) == ',' && errors.isEmpty()) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpaces() {
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }
}
