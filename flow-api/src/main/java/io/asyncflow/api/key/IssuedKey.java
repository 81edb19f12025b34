package io.asyncflow.api.key;

/**
 * An access key that was just made.
 *
 * @param key the whole key, which is in no other answer
 * @param expireTime epoch ms
 */
public record IssuedKey(String keyId, String key, long expireTime) {

  /** Without the key, because texts of records get into logs. */
  @Override
  public String toString() {
    return "IssuedKey[keyId=" + keyId + "]";
  }
}
