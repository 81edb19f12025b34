package io.asyncflow.flowsvr;

import java.util.regex.Pattern;

/** Keys that would be guessed: too short, or what documents and examples have in a key's place. */
final class WeakKey {

  static final int LEAST_LENGTH = 16;

  /** Fewer different characters are a pattern, as in {@code abcabcabcabcabcabc}. */
  private static final int LEAST_VARIETY = 6;

  /** Nothing but such words, whatever stands between them. */
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
