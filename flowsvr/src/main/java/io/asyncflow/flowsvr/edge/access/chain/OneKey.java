package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.flowsvr.base.system.Sha256;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Callers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.function.Supplier;

/** Mode key: the key of the server's environment may do everything, and there is no other. */
final class OneKey implements Callers {

  private final Caller caller = Caller.unlimited(Caller.Kind.ENV, Caller.ENVIRONMENT);
  private final byte[] keyHash;

  OneKey(String key) {
    this.keyHash = hash(key);
  }

  @Override
  public Caller find(String token, Supplier<List<String>> certificate) {
    // Hashes have equal lengths, so the time of the comparison reveals nothing about the key.
    return token != null && MessageDigest.isEqual(keyHash, hash(token)) ? caller : null;
  }

  private static byte[] hash(String key) {
    return Sha256.of(key.getBytes(StandardCharsets.UTF_8));
  }
}
