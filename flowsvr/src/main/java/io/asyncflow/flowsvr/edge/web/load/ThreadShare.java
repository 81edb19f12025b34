package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.budget.Threads;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.edge.web.filter.FilterOrder;
import io.asyncflow.flowsvr.edge.web.filter.HealthRoute;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives requests their part of the {@link Threads}: a heartbeat one of its own when its body has
 * come, health none, because it works and waits for nothing, and all others one that works.
 *
 * <p>A parked hold occupies no thread. Requests without a valid key are refused earlier.
 */
@Component
@Order(FilterOrder.SHARE)
class ThreadShare extends OncePerRequestFilter {

  private static final String HEARTBEAT = "/api/worker/heartbeat";

  private final Threads threads;

  ThreadShare(Threads threads) {
    this.threads = threads;
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
    Exchange exchange = Exchange.of(request);
    exchange.isOf(SecurityContextHolder.getContext().getAuthentication());
    if (isHeartbeat(request) && request.getContentLengthLong() != 0) {
      exchange.onBody(() -> takeFor(exchange));
    } else if (isHeartbeat(request) ? !hasThread(exchange) : !exchange.mayWork()) {
      ApiErrorWriter.write(request, response, ApiError.of(refusal()));
      return;
    }
    chain.doFilter(request, response);
  }

  private void takeFor(Exchange heartbeat) {
    if (!hasThread(heartbeat)) {
      throw refusal();
    }
  }

  private boolean hasThread(Exchange heartbeat) {
    return heartbeat.tryTake(threads.heartbeats(), 1) || heartbeat.mayWork();
  }

  private static FlowException refusal() {
    return new FlowException(
        ErrorCode.LIMIT_EXCEEDED, "too many requests at the moment, nothing was done");
  }
}
