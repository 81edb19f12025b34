package io.asyncflow.flowsvr.store;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * An object on its way in, and what it must add up to. Read once; not thread-safe.
 *
 * @param content as the client sends it
 * @param length in bytes, as the client has said
 * @param sha256 of all of it; {@code null} if the client did not say
 */
record Upload(InputStream content, long length, byte[] sha256) {

  private static final int BUFFER_BYTES = 64 * 1024;

  /**
   * Writes all of it to {@code out}, which is not closed.
   *
   * @throws FlowException with {@link ErrorCode#MALFORMED_BODY} if it breaks off, or is not what
   *     was said
   * @throws IOException what {@code out} throws
   */
  void writeTo(OutputStream out) throws IOException {
    MessageDigest digest = newDigest();
    byte[] buffer = new byte[BUFFER_BYTES];
    long written = 0;
    for (int count = read(buffer); count >= 0; count = read(buffer)) {
      written += count;
      if (written > length) {
        throw notAsSaid("there is more of it than Content-Length says", null);
      }
      digest.update(buffer, 0, count);
      out.write(buffer, 0, count);
    }
    if (written != length) {
      throw notAsSaid(written + " of " + length + " bytes came", null);
    }
    if (sha256 != null && !MessageDigest.isEqual(sha256, digest.digest())) {
      throw notAsSaid("it does not have its Content-Digest", null);
    }
  }

  private int read(byte[] buffer) {
    try {
      return content.read(buffer);
    } catch (IOException e) {
      throw notAsSaid("it broke off, or did not come in time", e);
    }
  }

  private static FlowException notAsSaid(String why, Throwable cause) {
    return new FlowException(
        ErrorCode.MALFORMED_BODY, "the body cannot be read: " + why, List.of(), cause);
  }

  private static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
