package io.asyncflow.flowsvr.web;

import io.asyncflow.api.ErrorCode;
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
 * though it has connections of its own.
 *
 * <p>A parked hold takes no thread, and so no share. Those without the key have been refused by
 * then.
 */
@Component
@Order(FilterOrder.SHARE)
class ThreadShare extends OncePerRequestFilter {

  private static final int KEPT = 30;
  private static final String HEARTBEAT = "/api/worker/heartbeat";

  private final Semaphore share;

  ThreadShare(@Value("${server.tomcat.threads.max}") int threads) {
    this.share = new Semaphore(threads - Math.min(KEPT, threads / 2));
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return request.getServletPath().equals(HEARTBEAT) || ApiKeyFilter.isHealth(request);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!share.tryAcquire()) {
      RefusalWriter.write(
          request,
          response,
          Refusal.of(
              ErrorCode.LIMIT_EXCEEDED, "too many requests at the moment, nothing was done"));
      return;
    }
    try {
      chain.doFilter(request, response);
    } finally {
      share.release();
    }
  }
}
