package io.asyncflow.flowsvr.web.load;

import io.asyncflow.flowsvr.system.Node;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Lets clients go before a server that stops turns them away.
 *
 * <p>A request on a connection that was kept open is lost, or refused with 503, if it comes just
 * when the server stops listening. So for a moment before that the server says that it is not ready
 * and serves on, but every answer asks its client to close the connection and come back by another:
 * a balancer sends that one elsewhere.
 */
@Component
class ConnectionDraining implements SmartLifecycle {

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

  /** Whether this server is about to stop. */
  boolean isLeaving() {
    return leaving;
  }

  /** Before anybody answers parked holds because of the same event. */
  @EventListener(ContextClosedEvent.class)
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void leave() {
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

  /** Stopped before the web server, which is a phase below. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
