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
 * The bytes of an object, which can be read again for each try, and what they must add up to.
 *
 * <p>Thread-safe, as long as nobody changes the file.
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

  /** These bytes, which nobody changes any more. */
  public static StoreContent of(byte[] bytes) {
    return new StoreContent(
        () -> new ByteArrayInputStream(bytes), bytes.length, newDigest().digest(bytes));
  }

  /** A file, which is read once now and again with each upload; nobody changes it meanwhile. */
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

  /** All of it from its beginning; to be closed by the caller. */
  public InputStream open() throws IOException {
    return source.open();
  }

  public long length() {
    return length;
  }

  /** As the header {@code Content-Digest} (RFC 9530) has it. */
  public String contentDigest() {
    return "sha-256=:" + Base64.getEncoder().encodeToString(sha256) + ":";
  }
}
