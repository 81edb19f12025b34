package io.asyncflow.flowsvr.store;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.io.IOException;
import java.io.InputStream;
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

  /**
   * The content, which is found to be what it was said to be before its last bytes are handed out.
   * So whoever counts on the length never gets all of what is wrong.
   *
   * @param guard called at that moment, too; what it throws is thrown by the read
   * @return a stream that throws a {@link FlowException} with {@link ErrorCode#MALFORMED_BODY}
   *     where the content breaks off or is another
   */
  InputStream checked(Runnable guard) {
    CheckedInput in = new CheckedInput(guard);
    if (length == 0) {
      in.finish();
    }
    return in;
  }

  private final class CheckedInput extends InputStream {

    private final Runnable guard;
    private final MessageDigest digest = newDigest();
    private long left = length;

    CheckedInput(Runnable guard) {
      this.guard = guard;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int count) {
      if (left == 0 || count == 0) {
        return count == 0 ? 0 : -1;
      }
      int read = readContent(buffer, offset, (int) Math.min(count, left));
      if (read < 0) {
        throw notAsSaid(length - left + " of " + length + " bytes came", null);
      }
      digest.update(buffer, offset, read);
      left -= read;
      if (left == 0) {
        finish();
      }
      return read;
    }

    private int readContent(byte[] buffer, int offset, int count) {
      try {
        return content.read(buffer, offset, count);
      } catch (IOException e) {
        throw notAsSaid("it broke off, or did not come in time", e);
      }
    }

    private void finish() {
      if (readContent(new byte[1], 0, 1) >= 0) {
        throw notAsSaid("there is more of it than Content-Length says", null);
      }
      if (sha256 != null && !MessageDigest.isEqual(sha256, digest.digest())) {
        throw notAsSaid("it does not have its Content-Digest", null);
      }
      guard.run();
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
