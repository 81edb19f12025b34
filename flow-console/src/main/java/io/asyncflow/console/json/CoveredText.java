package io.asyncflow.console.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The beginning of a text in which secrets are covered, and which is else as it was. It is read as
 * JSON as far as it is JSON, and no further than it is shown, so its size and depth do not matter.
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

  /** Copies a text, but for values that are secret. */
  private static final class Covering {

    private final String whole;
    private final int most;
    private final StringBuilder shown = new StringBuilder();
    private boolean isCovered;

    /** How much of the whole is shown or covered. */
    private int copied;

    Covering(String whole, int most) {
      this.whole = whole;
      this.most = most;
    }

    void read() {
      try (JsonParser parser = JSON.createParser(whole)) {
        JsonToken token = parser.nextToken();
        while (token != null && shown.length() + offset(parser) - copied < most) {
          if (isSecret(parser, token)) {
            cover(parser);
          } else if (token == JsonToken.VALUE_STRING) {
            coverWithin(parser);
          }
          token = parser.nextToken();
        }
      } catch (JacksonException e) {
        // what follows is no JSON, and has no members
      }
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
     * As the context of a task is in the definition of a schedule. Escapes double with each
     * document in a document, so there are few.
     */
    private void coverWithin(JsonParser parser) {
      int from = offset(parser);
      String value = parser.getString();
      if (value.startsWith("{") || value.startsWith("[")) {
        int to = (int) parser.currentLocation().getCharOffset();
        CoveredText inner = CoveredText.of(value, Integer.MAX_VALUE);
        if (inner.isCovered()) {
          replace(from, to, JSON.writeValueAsString(inner.text()));
        }
      }
    }

    CoveredText text() {
      int rest = Math.min(whole.length() - copied, Math.max(0, most - shown.length()));
      shown.append(whole, copied, copied + rest);
      boolean isCut = copied + rest < whole.length() || shown.length() > most;
      if (isCut) {
        int end = Math.min(most, shown.length());
        boolean isHalf = end > 0 && Character.isHighSurrogate(shown.charAt(end - 1));
        shown.setLength(isHalf ? end - 1 : end);
      }
      return new CoveredText(shown.toString(), isCovered, isCut);
    }
  }
}
