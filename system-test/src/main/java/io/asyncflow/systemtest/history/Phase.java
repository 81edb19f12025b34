package io.asyncflow.systemtest.history;

/** How far a call is. */
public enum Phase {
  /** It begins; written before anything is sent. */
  INVOKE,
  /** The answer came, and it was a good one. */
  OK,
  /** The answer came, and it says that nothing was done. */
  FAIL,
  /** No answer, or one that says nothing: the call may have taken effect, or may yet. */
  UNKNOWN
}
