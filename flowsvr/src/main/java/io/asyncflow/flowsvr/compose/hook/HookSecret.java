package io.asyncflow.flowsvr.compose.hook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that signs deliveries as Standard Webhooks specifies.
 *
 * @param text {@code whsec_} and the key in Base64; it leaves the server once, in the answer to the
 *     call that made it
 */
record HookSecret(String text) {

  private static final String PREFIX = "whsec_";
  private static final int KEY_BYTES = 32;
  private static final String ALGORITHM = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();

  static HookSecret random() {
    byte[] key = new byte[KEY_BYTES];
    RANDOM.nextBytes(key);
    return new HookSecret(PREFIX + Base64.getEncoder().encodeToString(key));
  }

  /**
   * The signature of an attempt.
   *
   * @param id the message, the same for all of its attempts
   * @param timestamp epoch seconds of the attempt
   */
  String sign(String id, long timestamp, String body) {
    byte[] key = Base64.getDecoder().decode(text.substring(PREFIX.length()));
    byte[] signed = (id + "." + timestamp + "." + body).getBytes(StandardCharsets.UTF_8);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Without the key, because texts of records get into logs. */
  @Override
  public String toString() {
    return PREFIX + "…";
  }
}
