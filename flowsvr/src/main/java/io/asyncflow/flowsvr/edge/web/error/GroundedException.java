package io.asyncflow.flowsvr.edge.web.error;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** An error whose answer states the ground in a member of its own, such as {@code needs}. */
public class GroundedException extends FlowException {

  private static final long serialVersionUID = 1L;

  private final String member;
  private final String ground;

  protected GroundedException(ErrorCode code, String message, String member, String ground) {
    super(code, message);
    this.member = member;
    this.ground = ground;
  }

  String ground(String name) {
    return member.equals(name) ? ground : null;
  }
}
