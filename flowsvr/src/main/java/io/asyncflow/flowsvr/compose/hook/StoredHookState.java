package io.asyncflow.flowsvr.compose.hook;

import java.util.Arrays;

/**
 * The state of a row of {@code t_hook}: that of the hook, or deleted. Nothing is created or
 * delivered for a hook that is not active.
 */
enum StoredHookState {
  ACTIVE(1),
  PAUSED(2),
  /** Its endpoint answered 410, or did nothing but fail for days. */
  DISABLED(4),
  /** Its row remains until its last tasks are ended. */
  DELETED(8);

  private final int code;

  StoredHookState(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static StoredHookState of(int code) {
    return Arrays.stream(values()).filter(state -> state.code == code).findFirst().orElseThrow();
  }
}
