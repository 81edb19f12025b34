package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.flowsvr.edge.web.error.GroundedException;

/** The key is proven, and does not count all the same. Only its owner is told so. */
class KeyRefusedException extends GroundedException {

  private static final long serialVersionUID = 1L;

  private KeyRefusedException(String why, String ground) {
    super(ErrorCode.KEY_ENDED, why, "error", ground);
  }

  /**
   * @param state not {@code ACTIVE}
   */
  static KeyRefusedException of(KeyState state) {
    return switch (state) {
      case REVOKED -> new KeyRefusedException("your key has been revoked", "revoked");
      case EXPIRED -> new KeyRefusedException("your key has expired", "expired");
      default -> new KeyRefusedException("your key is not live yet", "pending");
    };
  }

  static KeyRefusedException withoutCertificate() {
    return new KeyRefusedException(
        "your key is good only with the client certificate that it names", "certificate");
  }
}
