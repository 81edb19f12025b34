package io.asyncflow.console.page.find;

import io.asyncflow.console.page.TaskWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text of a search and where its words stand in it. The server decides what the words mean;
 * this takes them apart so that a page can point at one, leave one out, or put another in its
 * place. Immutable.
 */
record SearchText(String text, List<Word> words) {

  private static final Pattern NAMED = Pattern.compile("([A-Za-z_]+)([:<>])(.*)", Pattern.DOTALL);

  /**
   * A word.
   *
   * @param name empty for a value alone
   * @param operator {@code :}, {@code <} or {@code >}; empty for a value alone
   * @param rest what stands behind the operator, as it was typed
   * @param text all of it
   */
  record Word(String name, String operator, String rest, String text) {

    /** Its values without quotes. */
    List<String> values() {
      List<String> values = new ArrayList<>();
      StringBuilder value = new StringBuilder();
      boolean isQuoted = false;
      for (int i = 0; i < rest.length(); i++) {
        char c = rest.charAt(i);
        if (c == '"') {
          isQuoted = !isQuoted;
        } else if (isQuoted && c == '\\' && i + 1 < rest.length()) {
          i++;
          value.append(rest.charAt(i));
        } else if (c == ',' && !isQuoted && !name.isEmpty()) {
          values.add(value.toString());
          value.setLength(0);
        } else {
          value.append(c);
        }
      }
      values.add(value.toString());
      return values;
    }
  }

  static SearchText of(String text) {
    List<Word> words = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      if (isSpace(text.charAt(at))) {
        at++;
        continue;
      }
      int end = end(text, at);
      String word = text.substring(at, end);
      Matcher named = NAMED.matcher(word);
      words.add(
          named.matches()
              ? new Word(named.group(1), named.group(2), named.group(3), word)
              : new Word("", "", word, word));
      at = end;
    }
    return new SearchText(text, List.copyOf(words));
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }

  private static int end(String text, int from) {
    boolean isQuoted = false;
    int at = from;
    while (at < text.length() && (isQuoted || !isSpace(text.charAt(at)))) {
      if (text.charAt(at) == '"') {
        isQuoted = !isQuoted;
      } else if (isQuoted && text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      at++;
    }
    return Math.min(at, text.length());
  }

  /** The values of all words of a name, in the order of the text. */
  List<String> values(String name) {
    return words.stream()
        .filter(word -> word.name().equals(name) && word.operator().equals(":"))
        .flatMap(word -> word.values().stream())
        .filter(value -> !value.isEmpty())
        .distinct()
        .toList();
  }

  /** The only value of a name; empty if there is none, or if there are several. */
  String value(String name) {
    List<String> values = values(name);
    return values.size() == 1 ? values.get(0) : "";
  }

  /** What stands behind a name and an operator such as {@code age<}; empty if nothing does. */
  String bound(String name, String operator) {
    return words.stream()
        .filter(word -> word.name().equals(name) && word.operator().equals(operator))
        .map(Word::rest)
        .findFirst()
        .orElse("");
  }

  /** The text without a word. */
  String without(Word left) {
    return joined(word -> word != left, "");
  }

  /** This without the words of a name, and with these values of it behind the others. */
  SearchText with(String name, List<String> values) {
    List<String> given =
        values.stream().filter(value -> !value.isBlank()).map(TaskWords::value).toList();
    return replaced(name, given.isEmpty() ? "" : name + ":" + String.join(",", given));
  }

  /**
   * This without the words of a name, and with a bound such as {@code age<1h} behind the others.
   */
  SearchText withBound(String name, String operator, String value) {
    return replaced(name, value.isBlank() ? "" : name + operator + value.strip());
  }

  SearchText withoutName(String name) {
    return replaced(name, "");
  }

  private SearchText replaced(String name, String by) {
    return of(joined(word -> !word.name().equals(name), by));
  }

  private String joined(Predicate<Word> isKept, String more) {
    return Stream.concat(words.stream().filter(isKept).map(Word::text), Stream.of(more))
        .filter(word -> !word.isEmpty())
        .collect(Collectors.joining(" "));
  }

  /** Whether a value of a name is there. */
  boolean has(String name, String value) {
    return values(name).stream().anyMatch(each -> isSame(name, each, value));
  }

  /** The same with a value if it was not there, and without it if it was. */
  SearchText toggled(String name, String value) {
    Set<String> values = new TreeSet<>(values(name));
    if (!values.removeIf(each -> isSame(name, each, value))) {
      values.add(value);
    }
    return with(name, List.copyOf(values));
  }

  /** Statuses may be in capitals; stages of another spelling are other stages. */
  private static boolean isSame(String name, String one, String other) {
    return name.equals("status") ? one.equalsIgnoreCase(other) : one.equals(other);
  }

  /** Whether the refusal of a call speaks of this word. */
  static boolean isMeant(Word word, String refusal) {
    if (word.name().isEmpty()) {
      return refusal.startsWith("text: ") || refusal.startsWith("id: ");
    }
    return refusal.startsWith("the word '" + word.name() + "'")
        || refusal.matches("(?s)" + Pattern.quote(word.name()) + "(:|<|>| is | has | takes ).*")
            && (!refusal.startsWith(word.name() + "<") || word.operator().equals("<"))
            && (!refusal.startsWith(word.name() + ">") || word.operator().equals(">"))
        || refusal.contains("task type") && word.name().equals("type");
  }
}
