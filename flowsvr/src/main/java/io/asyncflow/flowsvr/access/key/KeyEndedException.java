package io.asyncflow.flowsvr.access.key;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.web.error.GroundedException;

/** The key's secret is right, and the key has ended. Only its owner is told so. */
class KeyEndedException extends GroundedException {

  private static final long serialVersionUID = 1L;

  /**
   * @param how {@code expired} or {@code revoked}
   */
  KeyEndedException(String how) {
    super(ErrorCode.KEY_ENDED, "your key has been " + how, "error", how);
  }
}
