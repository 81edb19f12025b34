package io.asyncflow.flowsvr.operator;

/**
 * An operator's act and its reason.
 *
 * @param operator the operator's name as the caller states it; empty if it states none
 * @param reason empty if none was given
 */
public record Act(Kind kind, String operator, String reason) {

  /** The kinds of acts. */
  public enum Kind {
    CANCEL,
    RETRY,
    SET_STATUS,
    SET_WORKERS,
    RESTART,
    PAUSE,
    RESUME
  }
}
