package io.asyncflow.flowsvr.web.load;

import org.apache.coyote.AbstractProtocol;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/**
 * How many connections this server has open at most: as many as a third of the heap can serve,
 * unless {@code server.tomcat.max-connections} says how many.
 *
 * <p>Tomcat at its limit refuses nobody. It stops accepting, so heartbeats and health wait, too. So
 * above {@value #PER_CENT_TO_SPARE} per cent answers ask their clients to close the connection,
 * which keeps those that are open between two calls from filling the server. Thread-safe.
 */
@Component
class Connections implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  private static final int MOST = 8_192;

  /**
   * Heap that a connection is given. One whose hold is parked, or which listens to a job, was
   * measured to keep 95 KiB, of which 84 are Tomcat's buffers for a request that is open.
   */
  private static final long BYTES_EACH = 112 * 1024;

  private static final int PART_OF_THE_HEAP = 3;
  private static final int PER_CENT_TO_SPARE = 80;

  private final int most;
  private volatile AbstractProtocol<?> protocol;

  /**
   * @param set {@code null} to choose by the heap; -1 for no bound
   */
  @Autowired
  Connections(@Value("${server.tomcat.max-connections:#{null}}") Integer set) {
    this(set, Runtime.getRuntime().maxMemory());
  }

  /**
   * @param heap bytes
   */
  Connections(Integer set, long heap) {
    this.most = set != null ? set : forHeap(heap);
  }

  /** How many a heap of so many bytes can serve; at least one. */
  static int forHeap(long bytes) {
    return (int) Math.max(1, Math.min(MOST, bytes / PART_OF_THE_HEAP / BYTES_EACH));
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addConnectorCustomizers(
        connector -> {
          protocol = (AbstractProtocol<?>) connector.getProtocolHandler();
          protocol.setMaxConnections(most);
        });
  }

  /** As many as there may be; negative for no bound. */
  int most() {
    return most;
  }

  /** How many are open now. */
  long open() {
    AbstractProtocol<?> known = protocol;
    return known == null ? 0 : known.getConnectionCount();
  }

  /** Whether so many are open that none should stay open without a request. */
  boolean areScarce() {
    return isScarce(open());
  }

  boolean isScarce(long open) {
    return most >= 0 && open > most * (long) PER_CENT_TO_SPARE / 100;
  }
}
