package io.asyncflow.flowsvr.compose.job.core;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** There is no job with this id, or it has been deleted. */
public class NoSuchJobException extends FlowException {

  private static final long serialVersionUID = 1L;

  public NoSuchJobException(long jobId) {
    super(
        ErrorCode.NO_SUCH_JOB,
        "there is no job " + jobId + ": there never was, or its retention_days are over");
  }
}
