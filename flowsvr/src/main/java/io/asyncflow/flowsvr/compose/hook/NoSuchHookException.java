package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** There is no hook of this id or name. */
class NoSuchHookException extends FlowException {

  private static final long serialVersionUID = 1L;

  NoSuchHookException(String idOrName) {
    super(ErrorCode.NO_SUCH_HOOK, "there is no hook " + idOrName);
  }
}
