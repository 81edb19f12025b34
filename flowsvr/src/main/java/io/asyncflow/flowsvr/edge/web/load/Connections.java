package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * The limit of open connections: as many as a third of the heap can serve, unless {@code
 * server.tomcat.max-connections} sets it.
 *
 * <p>At its limit Tomcat does not refuse connections but stops accepting them, so heartbeats and
 * health wait, too. Therefore, above {@value #PER_CENT_TO_SPARE} per cent, answers ask clients to
 * close the connection, and those on which no request comes are closed. Otherwise clients without a
 * key could occupy all of them with heads that never end, and the server would answer no heartbeat
 * and no health check. Thread-safe.
 */
@Component
class Connections implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  private static final Logger log = LoggerFactory.getLogger(Connections.class);
  private static final int MOST = 8_192;

  /**
   * Heap planned for one connection, in bytes. A parked hold or a progress stream was measured at
   * 65 KiB, of which 54 KiB are Tomcat's buffers for an open request.
   */
  private static final long BYTES_EACH = 80 * 1024;

  private static final int PART_OF_THE_HEAP = 3;
  private static final int PER_CENT_TO_SPARE = 80;

  private static final Duration CLOSING_PAUSE = Duration.ofMillis(100);

  /** Enough to send a request, and less than a client waits for its answer. */
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private static final Duration LOG_PAUSE = Duration.ofMinutes(1);

  private final int limit;
  private volatile ClosableHttp protocol;
  private Instant loggedAt = Instant.MIN;

  /**
   * @param set {@code null} to choose by the heap; -1 for no limit
   */
  @Autowired
  Connections(@Value("${server.tomcat.max-connections:#{null}}") Integer set) {
    this(set, Runtime.getRuntime().maxMemory());
  }

  /**
   * @param heap in bytes
   */
  Connections(Integer set, long heap) {
    this.limit = set != null ? set : forHeap(heap);
  }

  /** How many connections a heap of this size can serve; at least one. */
  static int forHeap(long bytes) {
    return (int) Math.max(1, Math.min(MOST, bytes / PART_OF_THE_HEAP / BYTES_EACH));
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.setProtocol(ClosableHttp.class.getName());
    factory.addConnectorCustomizers(
        connector -> {
          protocol = (ClosableHttp) connector.getProtocolHandler();
          protocol.setMaxConnections(limit);
        });
  }

  /** The limit of open connections; negative for none. */
  int limit() {
    return limit;
  }

  /** The number of open connections. */
  long open() {
    ClosableHttp current = protocol;
    return current == null ? 0 : current.getConnectionCount();
  }

  /** Whether idle connections should be closed, because the limit is near. */
  boolean areScarce() {
    return isScarce(open());
  }

  boolean isScarce(long open) {
    return excess(open) > 0;
  }

  private long excess(long open) {
    return limit < 0 ? 0 : open - limit * (long) PER_CENT_TO_SPARE / 100;
  }

  @Bean
  BackgroundLoop connectionSheddingLoop(Node node) {
    return new BackgroundLoop(
        "connection-shedding", CLOSING_PAUSE, () -> closeWaiting(node.wallClock()));
  }

  /** Closes those that have waited longest for a request, until they are no longer scarce. */
  private void closeWaiting(Instant now) {
    ClosableHttp current = protocol;
    long excess = excess(open());
    int closed =
        current == null || excess <= 0 ? 0 : current.closeWaiting(excess, now.minus(PATIENCE));
    if (closed > 0 && !now.isBefore(loggedAt.plus(LOG_PAUSE))) {
      loggedAt = now;
      log.warn(
          "{} of {} connections are open: those on which no request comes are closed",
          open() + closed,
          limit);
    }
  }
}
