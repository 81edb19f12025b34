package io.asyncflow.flowsvr.web.filter;

import org.springframework.core.Ordered;

/**
 * In which order a request meets the filters: none looks at what the one before it would refuse.
 *
 * <p>All stand before Spring's own that may read a body.
 */
public final class FilterOrder {

  /** Trace id, farewell, and the headers that every answer has, refusals included. */
  public static final int EVERY_ANSWER = Ordered.HIGHEST_PRECEDENCE;

  /** Refuses paths that this chain and the router would read differently. */
  public static final int PATH = EVERY_ANSWER + 1;

  /** Without a key: refuses what a web page sends. */
  public static final int LOCAL_GUARD = EVERY_ANSWER + 2;

  /** With a key: lets in who brings it. */
  public static final int KEY = EVERY_ANSWER + 3;

  /** Threads, which only who was let in may take. */
  public static final int SHARE = EVERY_ANSWER + 4;

  /** How slowly a body may come. */
  public static final int BODY = EVERY_ANSWER + 5;

  private FilterOrder() {}
}
