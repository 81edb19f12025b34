package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.web.filter.FilterOrder;
import io.asyncflow.flowsvr.web.guard.ApiKeyFilter;
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
 * Keeps a few of Tomcat's threads for heartbeats and health. While the database is slow all else
 * waits for it; a heartbeat that queued behind that would come too late, and its leases be lost,
 * though it has connections of its own. A few of these are for health alone: heartbeats whose
 * bodies hardly come must not make the platform restart the server.
 *
 * <p>A parked hold takes no thread, and so no share. Those without the key have been refused by
 * then.
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
    int kept = Math.min(KEPT, threads / 2);
    this.share = new Semaphore(threads - kept);
    this.heartbeats = new Semaphore(kept - Math.min(KEPT_FOR_HEALTH, kept / 2));
  }

  static boolean isHeartbeat(HttpServletRequest request) {
    return request.getServletPath().equals(HEARTBEAT);
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return ApiKeyFilter.isHealth(request);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Semaphore taken = takenFor(request);
    if (taken == null) {
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
      taken.release();
    }
  }

  /** The share that the request has a thread of now; {@code null} if there is none left. */
  private Semaphore takenFor(HttpServletRequest request) {
    if (isHeartbeat(request) && heartbeats.tryAcquire()) {
      return heartbeats;
    }
    return share.tryAcquire() ? share : null;
  }
}
