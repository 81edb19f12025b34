package io.asyncflow.rules.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * An access key: {@code afk_}, an id of 10 characters, {@code _}, a secret of 43, and a checksum of
 * 6, all of letters and digits.
 *
 * <p>The checksum tells keys from other texts: scanners for secrets need no server to be sure, and
 * a server refuses garbage without looking for it.
 *
 * @param id public: in logs, lists and records
 * @param secret 256 bits; it leaves the server once, in the answer to the call that made it
 */
public record AccessKey(String id, String secret) {

  private static final String PREFIX = "afk_";
  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int ID = 10;
  private static final int SECRET = 43;
  private static final int CHECKSUM = 6;
  private static final int SECRET_BEGIN = PREFIX.length() + ID + 1;
  private static final int SECRET_END = SECRET_BEGIN + SECRET;
  private static final int LENGTH = SECRET_END + CHECKSUM;
  private static final SecureRandom RANDOM = new SecureRandom();

  public static AccessKey random() {
    return new AccessKey(randomText(ID), randomText(SECRET));
  }

  private static String randomText(int length) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }

  /** Parses a key; empty if {@code text} is none, or its checksum is wrong. */
  public static Optional<AccessKey> parse(String text) {
    if (text.length() != LENGTH
        || !text.startsWith(PREFIX)
        || text.charAt(SECRET_BEGIN - 1) != '_'
        || !text.startsWith(checksum(text.substring(0, SECRET_END)), SECRET_END)) {
      return Optional.empty();
    }
    return Optional.of(
        new AccessKey(
            text.substring(PREFIX.length(), SECRET_BEGIN - 1),
            text.substring(SECRET_BEGIN, SECRET_END)));
  }

  /** The whole key, as its owner sends it. */
  public String text() {
    String begin = PREFIX + id + "_" + secret;
    return begin + checksum(begin);
  }

  private static String checksum(String begin) {
    CRC32 crc = new CRC32();
    crc.update(begin.getBytes(StandardCharsets.UTF_8));
    long rest = crc.getValue();
    char[] digits = new char[CHECKSUM];
    for (int i = CHECKSUM - 1; i >= 0; i--) {
      digits[i] = ALPHABET.charAt((int) (rest % ALPHABET.length()));
      rest /= ALPHABET.length();
    }
    return new String(digits);
  }

  /**
   * The SHA-256 of the secret, which is all that a database has of it. The secret is random, so a
   * slow hash would protect it no better.
   */
  public byte[] hash() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Without the secret, because texts of records get into logs. */
  @Override
  public String toString() {
    return PREFIX + id + "_…";
  }
}
