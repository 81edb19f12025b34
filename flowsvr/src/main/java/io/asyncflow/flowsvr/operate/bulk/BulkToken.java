package io.asyncflow.flowsvr.operate.bulk;

import io.asyncflow.flowsvr.base.system.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/**
 * What starts a preview: its id, and a secret of which the database has the digest alone.
 * Immutable.
 */
record BulkToken(long id, String text) {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 16;
  private static final String FORM = "[1-9][0-9]{0,18}-[A-Za-z0-9_-]{22}";

  /** A new one. */
  static BulkToken of(long id) {
    byte[] secret = new byte[BYTES];
    RANDOM.nextBytes(secret);
    return new BulkToken(
        id, id + "-" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
  }

  static Optional<BulkToken> parse(String text) {
    if (!text.matches(FORM)) {
      return Optional.empty();
    }
    try {
      long id = Long.parseLong(text.substring(0, text.indexOf('-')));
      return Optional.of(new BulkToken(id, text));
    } catch (NumberFormatException e) {
      return Optional.empty(); // more than 63 bits
    }
  }

  byte[] hash() {
    return Sha256.of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "BulkToken[" + id + "]";
  }
}
