package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.web.filter.FilterOrder;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Closes kept-alive connections before the server stops.
 *
 * <p>A request on a kept-alive connection is lost, or refused with 503, if it arrives just when the
 * server stops listening. So for a moment before that, the server reports that it is not ready and
 * still serves requests, but every answer asks its client to close the connection. A load balancer
 * sends the next connection to another server. Clients are asked for the same while {@link
 * Connections} are scarce, but for those of heartbeats.
 */
@Component
@Order(FilterOrder.EVERY_ANSWER)
class ConnectionDraining extends OncePerRequestFilter implements SmartLifecycle {

  private static final long POLL = Duration.ofMillis(20).toNanos();

  private final Connections connections;
  private final Node node;
  private final Duration drainTime;
  private volatile boolean leaving;
  private volatile boolean running;

  /**
   * @param drainTime how long to wait at most for connections to be closed
   */
  ConnectionDraining(
      Connections connections, Node node, @Value("${flow.drain-time:1s}") Duration drainTime) {
    this.connections = connections;
    this.node = node;
    this.drainTime = drainTime;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (leaving || connections.areScarce() && !ThreadShare.isHeartbeat(request)) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    chain.doFilter(request, response);
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // a parked hold: decided when it is answered
  }

  /** Runs before other listeners of the same event answer parked holds. */
  @EventListener(ContextClosedEvent.class)
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void beginDraining() {
    leaving = true;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    long begin = node.nanoTime();
    while (connections.open() > 0 && node.nanoTime() - begin < drainTime.toNanos()) {
      LockSupport.parkNanos(POLL);
    }
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops before the web server, which has the next lower phase. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
