package io.asyncflow.flowsvr.edge.web.filter;

import org.springframework.core.Ordered;

/**
 * The order of the filters. A filter does not see requests that an earlier filter refused.
 *
 * <p>All of them run before Spring's filters, which may read a body.
 */
public final class FilterOrder {

  /** Trace id, connection draining, and the headers of every answer, errors included. */
  public static final int EVERY_ANSWER = Ordered.HIGHEST_PRECEDENCE;

  /** Spring Security's chain; {@code spring.security.filter.order} is this number. */
  public static final int ACCESS = EVERY_ANSWER + 1;

  /** Limits threads, for admitted requests only. */
  public static final int SHARE = EVERY_ANSWER + 2;

  /** Limits how slowly a body may arrive. */
  public static final int BODY = EVERY_ANSWER + 3;

  private FilterOrder() {}
}
