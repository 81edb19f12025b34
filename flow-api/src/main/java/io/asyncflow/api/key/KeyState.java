package io.asyncflow.api.key;

/** What an access key is good for. */
public enum KeyState {
  ACTIVE,
  EXPIRED,
  REVOKED,
  /** Its row was changed by somebody without the pepper, so that it counts for nothing. */
  IGNORED
}
