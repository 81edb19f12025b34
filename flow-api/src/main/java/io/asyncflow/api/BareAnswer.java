package io.asyncflow.api;

/**
 * The headers of a body that has no envelope: an object, or the input of a job. They tell it from
 * what a gateway answers, and the whole body from a part.
 */
public final class BareAnswer {

  /** Present in every answer of flowsvr: the request's id in its log, 32 hexadecimal digits. */
  public static final String TRACE_ID = "X-Trace-Id";

  /** How many bytes the body has; a gateway may take {@code Content-Length} away. */
  public static final String BYTES = "X-Body-Bytes";

  private BareAnswer() {}
}
