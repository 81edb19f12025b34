package io.asyncflow.flowsvr.edge.access;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.edge.web.error.GroundedException;

/**
 * The caller named an object outside of its scope. What a caller may not see, and has not named, is
 * answered as if it did not exist.
 */
public class OutOfScopeException extends GroundedException {

  private static final long serialVersionUID = 1L;

  private OutOfScopeException(String message) {
    super(ErrorCode.OUT_OF_SCOPE, message, "scope", "stage");
  }

  /** The refusal of a report of a stage. */
  public static OutOfScopeException ofStage(String message) {
    return new OutOfScopeException(message);
  }

  /**
   * @param kind {@code type}, {@code stage}, {@code user}, {@code worker}, {@code schedule} or
   *     {@code hook}
   */
  public OutOfScopeException(String kind, String name) {
    super(
        ErrorCode.OUT_OF_SCOPE,
        "your key does not reach the " + kind + " '" + name + "'",
        "scope",
        kind);
  }
}
