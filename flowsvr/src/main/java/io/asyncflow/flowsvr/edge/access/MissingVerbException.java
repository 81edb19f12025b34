package io.asyncflow.flowsvr.edge.access;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.edge.web.error.GroundedException;

/** The roles of the caller do not have the verb that the call needs. */
public class MissingVerbException extends GroundedException {

  private static final long serialVersionUID = 1L;

  public MissingVerbException(Verb needed) {
    super(
        ErrorCode.VERB_MISSING,
        "the roles of your key do not allow this: it needs " + needed,
        "needs",
        needed.name());
  }
}
