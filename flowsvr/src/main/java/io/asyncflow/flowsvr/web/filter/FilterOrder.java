package io.asyncflow.flowsvr.web.filter;

import org.springframework.core.Ordered;

/**
 * The order of the filters. A filter does not see requests that an earlier filter refused.
 *
 * <p>All of them run before Spring's filters, which may read a body.
 */
public final class FilterOrder {

  /** Trace id, connection draining, and the headers of every answer, errors included. */
  public static final int EVERY_ANSWER = Ordered.HIGHEST_PRECEDENCE;

  /** Refuses paths that the filters and the router would read differently. */
  public static final int PATH = EVERY_ANSWER + 1;

  /** Without a key: refuses requests from web pages. */
  public static final int LOCAL_GUARD = EVERY_ANSWER + 2;

  /** With a key: admits requests that carry it. */
  public static final int KEY = EVERY_ANSWER + 3;

  /** Limits threads, for admitted requests only. */
  public static final int SHARE = EVERY_ANSWER + 4;

  /** Limits how slowly a body may arrive. */
  public static final int BODY = EVERY_ANSWER + 5;

  private FilterOrder() {}
}
