package io.asyncflow.rules;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.TreeSet;

/** The name of a set of workers which alone may hold a task. */
public final class Lane {

  /** The lane of the tasks that every worker may hold. */
  public static final String OPEN = "";

  /** The most workers of a lane. */
  public static final int WORKERS = 64;

  private static final int HEX_DIGITS = 16;

  private Lane() {}

  /**
   * The lane of a set of workers: 16 hexadecimal digits, the same for every order of the workers.
   *
   * @param workers names without control characters, at least one
   * @param salt 0, or the next number if another set has the lane already
   */
  public static String of(Collection<String> workers, int salt) {
    String text = String.join("\n", new TreeSet<>(workers)) + (salt == 0 ? "" : "\n" + salt);
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, HEX_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
