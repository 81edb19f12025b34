package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.api.key.KeyState;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import java.security.MessageDigest;
import java.util.List;
import java.util.function.Supplier;

/**
 * Decides on a key that is well formed. It digests and compares once, whatever the outcome, so the
 * time of an answer does not tell which ids exist. Immutable.
 */
class KeyCheck {

  private static final byte[] NO_HASH = new byte[32];

  /**
   * @param sent as the request has it
   * @param known the key of that id; {@code null} if there is none
   * @param certificate the names in the client's certificate
   * @param now epoch ms
   * @return {@code null} if there is no such key
   * @throws KeyRefusedException if there is, and it is not live, or needs another certificate
   */
  Caller check(AccessKey sent, KnownKey known, Supplier<List<String>> certificate, long now) {
    byte[] hash = digest(sent);
    boolean isRight = isEqual(hash, known == null ? NO_HASH : known.row().hash());
    if (known == null || !isRight) {
      return null;
    }
    refuseUnlessLive(known.row(), now);
    String needed = known.row().limits().certSan();
    if (needed != null && !certificate.get().contains(needed)) {
      throw KeyRefusedException.withoutCertificate();
    }
    known.use().note(now);
    return known.caller();
  }

  /**
   * For a client whose certificate has the key's name, and that sent no key.
   *
   * @param now epoch ms
   * @throws KeyRefusedException if the key is not live
   */
  Caller checkCertified(KnownKey known, long now) {
    refuseUnlessLive(known.row(), now);
    known.use().note(now);
    return known.caller();
  }

  private static void refuseUnlessLive(AccessKeyRow row, long now) {
    KeyState state = row.state(now);
    if (state != KeyState.ACTIVE) {
      throw KeyRefusedException.of(state);
    }
  }

  byte[] digest(AccessKey sent) {
    return sent.hash();
  }

  boolean isEqual(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }
}
