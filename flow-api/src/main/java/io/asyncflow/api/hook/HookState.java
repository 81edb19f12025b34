package io.asyncflow.api.hook;

/** The state of a hook. */
public enum HookState {
  /** Events are delivered. */
  ACTIVE,
  /** Nothing is delivered; what happens meanwhile is delivered when the hook is active again. */
  PAUSED,
  /** As paused, because the endpoint is gone or does nothing but fail. */
  DISABLED
}
