package io.asyncflow.flowsvr.base.system;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, which every JDK has. */
public final class Sha256 {

  private Sha256() {}

  /** The digest of these bytes. */
  public static byte[] of(byte[] bytes) {
    return begin().digest(bytes);
  }

  /** A digest that takes its bytes one after another. */
  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
