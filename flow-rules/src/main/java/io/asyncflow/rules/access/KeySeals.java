package io.asyncflow.rules.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals rows of keys and sessions with a pepper, a secret that the database does not know: so a row
 * that was written or changed by somebody who only has the database counts for nothing. Immutable.
 *
 * <p>With two peppers, rows of both are good, and new ones get a seal of the first.
 */
public final class KeySeals {

  private static final String ALGORITHM = "HmacSHA256";
  private static final int LEAST_LENGTH = 16;

  /** In the place of the second pepper: rows without a seal are good, too. */
  private static final String NONE = "none";

  /** Of rows without a pepper. */
  public static final KeySeals OFF = new KeySeals(List.of());

  private final List<String> peppers;

  private KeySeals(List<String> peppers) {
    this.peppers = peppers;
  }

  /**
   * Reads {@code current} or {@code current,previous}; empty for none.
   *
   * @throws IllegalArgumentException if it cannot be; the message continues the words "must be" and
   *     does not contain a pepper
   */
  public static KeySeals of(String setting) {
    if (setting.isBlank()) {
      return OFF;
    }
    List<String> peppers = Stream.of(setting.split(",", -1)).map(String::strip).toList();
    boolean areLong =
        peppers.get(0).length() >= LEAST_LENGTH
            && peppers.stream()
                .skip(1)
                .allMatch(old -> old.length() >= LEAST_LENGTH || old.equals(NONE));
    if (peppers.size() > 2 || !areLong) {
      throw new IllegalArgumentException(
          "a secret of at least "
              + LEAST_LENGTH
              + " characters without a comma, or two of them, as current,previous");
    }
    return new KeySeals(peppers);
  }

  /** Seals under one secret, whatever its length. */
  public static KeySeals under(String secret) {
    return new KeySeals(List.of(secret));
  }

  /** Whether there is a pepper. */
  public boolean isOn() {
    return !peppers.isEmpty();
  }

  /**
   * The seal of a row; {@code null} without a pepper.
   *
   * @param columns those of a key, or of another table: then they begin with one that no key has,
   *     so that no row passes for one of another table
   */
  public byte[] seal(List<?> columns) {
    return isOn() ? seal(columns, peppers.get(0)) : null;
  }

  /** Whether the row counts. Without a pepper every row does. */
  public boolean isGood(List<?> columns, byte[] seal) {
    return !isOn() || peppers.stream().anyMatch(pepper -> isSealed(columns, seal, pepper));
  }

  /** Whether the row has the seal that it would get now. */
  public boolean isCurrent(List<?> columns, byte[] seal) {
    return !isOn() || isSealed(columns, seal, peppers.get(0));
  }

  private static boolean isSealed(List<?> columns, byte[] seal, String pepper) {
    return pepper.equals(NONE)
        ? seal == null
        : seal != null && MessageDigest.isEqual(seal, seal(columns, pepper));
  }

  private static byte[] seal(List<?> columns, String pepper) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(pepper.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      for (Object column : columns) {
        add(mac, column);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** With its length, so that no text can move from a column to the next one. */
  private static void add(Mac mac, Object column) {
    if (column == null) {
      mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(-1).array());
      return;
    }
    byte[] bytes =
        column instanceof byte[] raw
            ? raw
            : Objects.toString(column).getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    mac.update(bytes);
  }

  /** Without the peppers. */
  @Override
  public String toString() {
    return "KeySeals[" + peppers.size() + "]";
  }
}
