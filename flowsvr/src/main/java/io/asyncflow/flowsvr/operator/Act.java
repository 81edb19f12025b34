package io.asyncflow.flowsvr.operator;

/**
 * What an operator wants done, and why.
 *
 * @param operator who, as the caller says; empty if it does not
 * @param reason empty if none was given
 */
public record Act(Kind kind, String operator, String reason) {

  /** The kinds of acts. */
  public enum Kind {
    CANCEL,
    RETRY,
    SET_STATUS
  }
}
