package io.asyncflow.console.json;

import java.util.regex.Pattern;
import tools.jackson.core.JsonToken;

/** Which members of documents nobody should read over an operator's shoulder. Pure. */
final class Secrets {

  static final String COVER = "••••";

  private static final Pattern SECRET =
      Pattern.compile("(?i)password|passwd|secret|api_?-?key|authorization|credential");

  private static final Pattern TOKEN = Pattern.compile("(?i)token");

  /**
   * Names that count tokens, as those of language models do, and are no token: a number is shown.
   */
  private static final Pattern COUNT =
      Pattern.compile(
          "[tT]okens(?![a-z])|TOKENS(?![A-Z])|(?i:token[_-]?(count|limit|usage|budget|total)s?$)");

  /** How a document in a text begins, with its escapes. */
  private static final Pattern INNER =
      Pattern.compile("(\\s|\\\\[nrt])*([{\\[]|\\\\u).*", Pattern.DOTALL);

  private Secrets() {}

  /**
   * Whether a text in a document is a document that may have a secret: a name with escapes may be
   * any.
   *
   * @param text as it stands there, or the beginning of it
   */
  static boolean mayBeIn(String text) {
    return INNER.matcher(text).matches()
        && (SECRET.matcher(text).find() || TOKEN.matcher(text).find() || text.contains("\\u"));
  }

  /**
   * Whether the value of a member is covered.
   *
   * @param value the first token of it
   */
  static boolean hides(String name, JsonToken value) {
    return value != JsonToken.VALUE_NULL
        && (SECRET.matcher(name).find()
            || TOKEN.matcher(name).find() && !(value.isNumeric() && COUNT.matcher(name).find()));
  }
}
