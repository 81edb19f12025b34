package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.flowsvr.base.system.Sha256;
import io.asyncflow.rules.SealRule;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * An incoming object with its declared length and digest. Can be read once; not thread-safe.
 *
 * @param content as the client sends it
 * @param length the declared length in bytes
 * @param sha256 the declared digest; {@code null} if the client sent none
 */
public record Upload(InputStream content, long length, byte[] sha256) {

  /**
   * The same upload, of which the beginning was looked at.
   *
   * @throws FlowException with {@link ErrorCode#SEALING_RULE} if the rule does not allow it
   */
  Upload allowedBy(SealRule rule, StoreKey key) {
    if (rule == SealRule.ANY) {
      return this;
    }
    try {
      BufferedInputStream in = new BufferedInputStream(content);
      in.mark(SealedText.BEGINNING.length());
      byte[] beginning = in.readNBytes(SealedText.BEGINNING.length());
      in.reset();
      String text = new String(beginning, StandardCharsets.ISO_8859_1);
      rule.check(key.taskType(), text, "object " + key);
      return new Upload(in, length, sha256);
    } catch (IOException e) {
      throw mismatch("it broke off, or did not come in time", e);
    }
  }

  /**
   * The content, verified before its last bytes are returned. So a reader that knows the length
   * never receives a complete but wrong object.
   *
   * @param guard called at the same moment; the read throws its exceptions
   * @return a stream that throws a {@link FlowException} with {@link ErrorCode#MALFORMED_BODY} if
   *     the content breaks off or does not match
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
    private final MessageDigest digest = Sha256.begin();
    private long remaining = length;

    CheckedInput(Runnable guard) {
      this.guard = guard;
    }

    @Override
    public int read() {
      byte[] single = new byte[1];
      return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int count) {
      if (remaining == 0 || count == 0) {
        return count == 0 ? 0 : -1;
      }
      int read = readContent(buffer, offset, (int) Math.min(count, remaining));
      if (read < 0) {
        throw mismatch(length - remaining + " of " + length + " bytes came", null);
      }
      digest.update(buffer, offset, read);
      remaining -= read;
      if (remaining == 0) {
        finish();
      }
      return read;
    }

    private int readContent(byte[] buffer, int offset, int count) {
      try {
        return content.read(buffer, offset, count);
      } catch (IOException e) {
        throw mismatch("it broke off, or did not come in time", e);
      }
    }

    private void finish() {
      if (readContent(new byte[1], 0, 1) >= 0) {
        throw mismatch("there is more of it than Content-Length says", null);
      }
      if (sha256 != null && !MessageDigest.isEqual(sha256, digest.digest())) {
        throw mismatch("it does not have its Content-Digest", null);
      }
      guard.run();
    }
  }

  private static FlowException mismatch(String reason, Throwable cause) {
    return new FlowException(
        ErrorCode.MALFORMED_BODY, "the body cannot be read: " + reason, List.of(), cause);
  }
}
