package io.asyncflow.flowsvr.web.load;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Closes connections that wait for a request while {@link Connections} are scarce. Otherwise
 * clients without a key could occupy all of them with heads that never end, and the server would
 * answer no heartbeat and no health check.
 */
@Component
class ConnectionShedding {

  private static final Logger log = LoggerFactory.getLogger(ConnectionShedding.class);

  private static final Duration PERIOD = Duration.ofMillis(100);

  /** Enough to send a request, and less than a client waits for its answer. */
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private static final Duration LOG_PAUSE = Duration.ofMinutes(1);

  private final Connections connections;
  private final Node node;
  private long loggedAt;

  ConnectionShedding(Connections connections, Node node) {
    this.connections = connections;
    this.node = node;
    this.loggedAt = node.nanoTime() - LOG_PAUSE.toNanos();
  }

  @Bean
  BackgroundLoop connectionSheddingLoop() {
    return new BackgroundLoop("connection-shedding", PERIOD, this::runOnce);
  }

  private void runOnce() {
    int closed = connections.closeWaiting(node.wallClock().minus(PATIENCE));
    if (closed > 0 && node.nanoTime() - loggedAt >= LOG_PAUSE.toNanos()) {
      loggedAt = node.nanoTime();
      log.warn(
          "{} of {} connections are open: those on which no request comes are closed",
          connections.open() + closed,
          connections.limit());
    }
  }
}
