package io.asyncflow.rules.act;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The chain over the record of acts. Each link is the digest of the link before and of one act, so
 * the last link depends on every act and on their order.
 */
public final class ActChain {

  /** What a link covers, in this order; each is read as a text. */
  public static final String COLUMNS =
      "id, act_time, act, object, task_id, operator, reason, actor, HEX(actor_ip), source,"
          + " status_before, status_after, new_task_id, detail, trace_id";

  private static final int LINK_BYTES = 32;
  private static final int NULL_LENGTH = -1;

  private ActChain() {}

  /** The link before the first act. */
  public static byte[] beginning() {
    return new byte[LINK_BYTES];
  }

  /**
   * The link of an act.
   *
   * @param before the link of the act before
   * @param act the values of {@link #COLUMNS}; a value may be {@code null}
   */
  public static byte[] next(byte[] before, List<String> act) {
    MessageDigest digest = sha256();
    digest.update(before);
    for (String value : act) {
      // With its length, so that no two lists of values are the same bytes.
      byte[] bytes = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
      int length = value == null ? NULL_LENGTH : bytes.length;
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
      digest.update(bytes);
    }
    return digest.digest();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
