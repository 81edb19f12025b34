package io.asyncflow.rules.access;

import java.util.regex.Pattern;

/** Finds what looks like a secret in messages for people, which end up in logs and tickets. */
public final class Secrets {

  private static final String REDACTED = "‹redacted›";

  /** Nothing is scanned twice: a match begins only where a word begins, and gives nothing back. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?<![0-9A-Za-z_-])(?:"
              + "afk_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}" // an access key
              + "|(?:AKIA|ASIA)[0-9A-Z]{16}" // an access key of AWS
              + "|eyJ[0-9A-Za-z_-]{10,}+\\.[0-9A-Za-z_-]++\\.[0-9A-Za-z_-]*+" // a JSON Web Token
              + "|(?i:Bearer) {1,8}[0-9A-Za-z._~+/=-]{16,}+" // any other
              + ")");

  private Secrets() {}

  /** The text with a mark in the place of each secret; never longer in UTF-8. */
  public static String masked(String text) {
    return text == null ? null : SECRET.matcher(text).replaceAll(REDACTED);
  }
}
