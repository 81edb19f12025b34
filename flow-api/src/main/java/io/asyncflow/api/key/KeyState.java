package io.asyncflow.api.key;

/** What an access key is good for. */
public enum KeyState {
  ACTIVE,
  /** It is not live yet. */
  PENDING,
  EXPIRED,
  REVOKED,
  /**
   * Its row was changed by somebody without the pepper, or cannot be read: it counts for nothing.
   */
  IGNORED
}
