package io.asyncflow.console.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The beginning of a text in which secrets are covered, and which is else as it was. It is read as
 * JSON as far as it is JSON, or nearly so: it is read to find members alone. It is read no further
 * than it is shown, so its size and depth do not matter.
 *
 * @param isCut whether it is not all of it
 */
record CoveredText(String text, boolean isCovered, boolean isCut) {

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(Integer.MAX_VALUE)
                          .maxNumberLength(Integer.MAX_VALUE)
                          .maxNameLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .enable(
                      JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS,
                      JsonReadFeature.ALLOW_LEADING_ZEROS_FOR_NUMBERS,
                      JsonReadFeature.ALLOW_TRAILING_COMMA,
                      JsonReadFeature.ALLOW_JAVA_COMMENTS,
                      JsonReadFeature.ALLOW_SINGLE_QUOTES,
                      JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES,
                      JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS,
                      JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
                  .build())
          .build();

  /**
   * @param most characters
   */
  static CoveredText of(String whole, int most) {
    Covering covering = new Covering(whole, most);
    covering.read();
    return covering.text();
  }

  /** Whether a text looks like an object or a list. */
  static boolean looksLikeDocument(String text) {
    String begin = text.stripLeading();
    return begin.startsWith("{") || begin.startsWith("[");
  }

  /** Copies a text, but for values that are secret. */
  private static final class Covering {

    private final String whole;
    private final int most;
    private final StringBuilder shown = new StringBuilder();
    private boolean isCovered;

    /** How much of the whole is shown or covered. */
    private int copied;

    /** Whether what follows is not shown, and is not read. */
    private boolean isFull;

    private boolean isCut;

    Covering(String whole, int most) {
      this.whole = whole;
      this.most = most;
    }

    void read() {
      try (JsonParser parser = JSON.createParser(whole)) {
        JsonToken token = parser.nextToken();
        while (token != null && left(offset(parser)) > 0) {
          if (isSecret(parser, token)) {
            cover(parser);
          } else if (token == JsonToken.VALUE_STRING) {
            coverWithin(offset(parser));
          }
          token = isFull ? null : parser.nextToken();
        }
      } catch (JacksonException e) {
        // what follows is no JSON, and has no members
      }
    }

    /** How many characters there is room for after this place. */
    private int left(int offset) {
      return most - shown.length() - (offset - copied);
    }

    private static boolean isSecret(JsonParser parser, JsonToken token) {
      return token != JsonToken.PROPERTY_NAME
          && !token.isStructEnd()
          && parser.currentName() != null
          && Secrets.hides(parser.currentName(), token);
    }

    private static int offset(JsonParser parser) {
      return (int) parser.currentTokenLocation().getCharOffset();
    }

    private void cover(JsonParser parser) {
      int from = offset(parser);
      int to = whole.length(); // of a value that is never closed
      try {
        parser.skipChildren();
        parser.finishToken();
        to = (int) parser.currentLocation().getCharOffset();
      } finally {
        replace(from, to, '"' + Secrets.COVER + '"');
      }
    }

    private void replace(int from, int to, String by) {
      shown.append(whole, copied, from).append(by);
      copied = to;
      isCovered = true;
    }

    /**
     * Covers the whole of a document in a text that may have a secret, as the context of a task in
     * the definition of a schedule.
     *
     * @param from where the text begins, with its quote
     */
    private void coverWithin(int from) {
      int left = left(from);
      int most = left < whole.length() - from ? from + left : whole.length();
      int end = from + 1;
      while (end < most && whole.charAt(end) != whole.charAt(from)) {
        end += whole.charAt(end) == '\\' ? 2 : 1;
      }
      isFull = end >= most;
      if (Secrets.mayBeIn(whole.substring(from + 1, Math.min(end, most)))) {
        isCut = isFull && most < whole.length(); // the rest of it has not been read
        replace(from, isFull ? whole.length() : end + 1, '"' + Secrets.COVER + '"');
      }
    }

    CoveredText text() {
      int rest = Math.min(whole.length() - copied, Math.max(0, most - shown.length()));
      shown.append(whole, copied, copied + rest);
      isCut |= copied + rest < whole.length() || shown.length() > most;
      if (isCut) {
        int end = Math.min(most, shown.length());
        boolean isHalf = end > 0 && Character.isHighSurrogate(shown.charAt(end - 1));
        shown.setLength(isHalf ? end - 1 : end);
      }
      return new CoveredText(shown.toString(), isCovered, isCut);
    }
  }
}
