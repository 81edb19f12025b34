package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.rules.access.AccessKey;
import java.security.MessageDigest;

/**
 * Decides on a key that is well formed. It digests and compares once, whatever the outcome, so the
 * time of an answer does not tell which ids exist. Immutable.
 */
class KeyCheck {

  private static final byte[] NO_HASH = new byte[32];

  /**
   * @param sent as the request has it
   * @param known the key of that id; {@code null} if there is none
   * @param now epoch ms
   * @return {@code null} if there is no such key
   * @throws KeyEndedException if there is, and it has ended
   */
  Caller check(AccessKey sent, KnownKey known, long now) {
    byte[] hash = digest(sent);
    boolean isRight = isEqual(hash, known == null ? NO_HASH : known.row().hash());
    if (known == null || !isRight) {
      return null;
    }
    if (known.row().isRevoked()) {
      throw new KeyEndedException("revoked");
    }
    if (!known.row().isLive(now)) {
      throw new KeyEndedException("expired");
    }
    known.use().note(now);
    return known.caller();
  }

  byte[] digest(AccessKey sent) {
    return sent.hash();
  }

  boolean isEqual(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }
}
