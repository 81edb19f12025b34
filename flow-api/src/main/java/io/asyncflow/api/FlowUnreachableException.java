package io.asyncflow.api;

import java.util.List;

/**
 * The call got no usable answer: no connection, a time-out, an answer that is not flowsvr's, or no
 * key to make the call with. Whether the call took effect is unknown; repeat it with the same key.
 */
public class FlowUnreachableException extends FlowException {

  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  public FlowUnreachableException(String message, Throwable cause) {
    this(message, cause, true);
  }

  /**
   * @param retryable whether the same call may succeed later without a change
   */
  FlowUnreachableException(String message, Throwable cause, boolean retryable) {
    super(ErrorCode.UNAVAILABLE, message, List.of(), cause);
    this.retryable = retryable;
  }

  /** False where something between refuses such a call by its status, as a firewall does. */
  @Override
  public boolean retryable() {
    return retryable;
  }
}
