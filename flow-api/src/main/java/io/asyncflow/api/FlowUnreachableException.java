package io.asyncflow.api;

import java.util.List;

/**
 * The call got no usable answer: no connection, a time-out, an answer that is not flowsvr's, or no
 * key to make the call with. Whether the call took effect is unknown; repeat it with the same key.
 */
public class FlowUnreachableException extends FlowException {

  private static final long serialVersionUID = 1L;

  public FlowUnreachableException(String message, Throwable cause) {
    super(ErrorCode.UNAVAILABLE, message, List.of(), cause);
  }
}
