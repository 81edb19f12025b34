package io.asyncflow.flowsvr.bulk;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** There is no bulk with this id that the caller may see. */
class NoSuchBulkException extends FlowException {

  private static final long serialVersionUID = 1L;

  NoSuchBulkException(long id) {
    super(
        ErrorCode.NO_SUCH_BULK,
        "there is no bulk " + id + " of yours: there never was, or it ended long ago");
  }
}
