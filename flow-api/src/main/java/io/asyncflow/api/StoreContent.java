package io.asyncflow.api;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The content of an object, which can be read again for each attempt, with its length and digest.
 *
 * <p>Thread-safe, provided that the bytes or the file do not change.
 */
public final class StoreContent {

  private interface Source {
    InputStream open() throws IOException;
  }

  private final Source source;
  private final long length;
  private final byte[] sha256;

  private StoreContent(Source source, long length, byte[] sha256) {
    this.source = source;
    this.length = length;
    this.sha256 = sha256;
  }

  /** The content of an array; it must not change afterwards. */
  public static StoreContent of(byte[] bytes) {
    return new StoreContent(
        () -> new ByteArrayInputStream(bytes), bytes.length, newDigest().digest(bytes));
  }

  /**
   * The content of a file, which is read once now and once for each upload; it must not change
   * meanwhile.
   */
  public static StoreContent of(Path file) throws IOException {
    MessageDigest digest = newDigest();
    long length;
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      length = in.transferTo(OutputStream.nullOutputStream());
    }
    return new StoreContent(() -> Files.newInputStream(file), length, digest.digest());
  }

  private static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Opens the content at its beginning; the caller closes the stream. */
  public InputStream open() throws IOException {
    return source.open();
  }

  public long length() {
    return length;
  }

  /** The value of the header {@code Content-Digest} (RFC 9530). */
  public String contentDigest() {
    return "sha-256=:" + Base64.getEncoder().encodeToString(sha256) + ":";
  }
}
