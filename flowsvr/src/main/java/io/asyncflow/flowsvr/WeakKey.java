package io.asyncflow.flowsvr;

import java.util.regex.Pattern;

/** Recognizes guessable keys: too short, or a placeholder from documentation and examples. */
final class WeakKey {

  static final int LEAST_LENGTH = 16;

  /** Keys with fewer different characters are a pattern, as {@code abcabcabcabcabcabc}. */
  private static final int LEAST_VARIETY = 6;

  /** Only such words, with any separators. */
  private static final Pattern PLACEHOLDER =
      Pattern.compile(
          "(?i)(test|admin|xxx).*|<.*>|[$]?\\{.*}|(?=.*[a-z])"
              + "(change|replace|insert|put|enter|me|this|with|here|my|your|the|an?|our|some|very|long"
              + "|top|super|secret|password|passwd|pass|default|token|asyncflow|flow|flowsvr|api|key"
              + "|server|local|dev|prod|example|sample|demo|dummy|todo|qwerty|correct|horse|battery"
              + "|staple|[^a-z])*");

  private WeakKey() {}

  static boolean isWeak(String key) {
    return key.length() < LEAST_LENGTH
        || key.chars().distinct().count() < LEAST_VARIETY
        || PLACEHOLDER.matcher(key).matches();
  }
}
