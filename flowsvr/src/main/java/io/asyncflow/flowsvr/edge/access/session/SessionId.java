package io.asyncflow.flowsvr.edge.access.session;

import io.asyncflow.flowsvr.base.system.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The id of a session: 256 random bits that the browser alone keeps. Servers store its hash, and
 * derive from it the token that proves that a request comes from a page of theirs. Immutable.
 */
public final class SessionId {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
  private static final Pattern FORM = Pattern.compile("[0-9A-Za-z_-]{43}");
  private static final int BYTES = 32;
  private static final int NAME_BYTES = 8;
  private static final String HMAC = "HmacSHA256";
  private static final byte[] CSRF = "csrf".getBytes(StandardCharsets.US_ASCII);

  private final String text;

  private SessionId(String text) {
    this.text = text;
  }

  static SessionId random() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return new SessionId(BASE64.encodeToString(bytes));
  }

  /** Empty if the text cannot be an id. */
  static Optional<SessionId> parse(String text) {
    return FORM.matcher(text).matches() ? Optional.of(new SessionId(text)) : Optional.empty();
  }

  /** The secret itself. */
  String text() {
    return text;
  }

  byte[] hash() {
    return Sha256.of(bytes());
  }

  /** Names the session in records; no secret. */
  String name() {
    return HexFormat.of().formatHex(hash(), 0, NAME_BYTES);
  }

  /** Only pages that read an answer to this session know it. */
  String csrfToken() {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(bytes(), HMAC));
      return BASE64.encodeToString(mac.doFinal(CSRF));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HMAC, e);
    }
  }

  private byte[] bytes() {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "session:" + name();
  }
}
