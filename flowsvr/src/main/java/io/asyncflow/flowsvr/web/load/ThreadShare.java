package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.web.filter.FilterOrder;
import io.asyncflow.flowsvr.web.filter.HealthRoute;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Reserves a few of Tomcat's threads for heartbeats and health. While the database is slow, other
 * requests occupy threads; a heartbeat queued behind them would be late and its leases would be
 * lost, although heartbeats have database connections of their own. Some of the reserved threads
 * are for health alone: heartbeats with slow bodies must not make the platform restart the server.
 *
 * <p>A parked hold occupies no thread and no share. Requests without a valid key are refused
 * earlier.
 */
@Component
@Order(FilterOrder.SHARE)
class ThreadShare extends OncePerRequestFilter {

  private static final int KEPT = 30;
  private static final int KEPT_FOR_HEALTH = 10;
  private static final String HEARTBEAT = "/api/worker/heartbeat";

  private final Semaphore share;
  private final Semaphore heartbeats;

  ThreadShare(@Value("${server.tomcat.threads.max}") int threads) {
    int reserved = Math.min(KEPT, threads / 2);
    this.share = new Semaphore(threads - reserved);
    this.heartbeats = new Semaphore(reserved - Math.min(KEPT_FOR_HEALTH, reserved / 2));
  }

  static boolean isHeartbeat(HttpServletRequest request) {
    return request.getServletPath().equals(HEARTBEAT);
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return HealthRoute.isOf(request);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Semaphore acquired = acquireFor(request);
    if (acquired == null) {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.LIMIT_EXCEEDED, "too many requests at the moment, nothing was done"));
      return;
    }
    try {
      chain.doFilter(request, response);
    } finally {
      acquired.release();
    }
  }

  /** The share from which the request took a permit; {@code null} if none is free. */
  private Semaphore acquireFor(HttpServletRequest request) {
    if (isHeartbeat(request) && heartbeats.tryAcquire()) {
      return heartbeats;
    }
    return share.tryAcquire() ? share : null;
  }
}
