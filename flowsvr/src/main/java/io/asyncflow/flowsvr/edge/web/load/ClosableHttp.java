package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.coyote.AbstractProcessor;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * Tomcat's HTTP/1.1, whose waiting connections can be closed, and whose threads wait for clients as
 * the {@link Exchange} says. Public with a public constructor, because Tomcat instantiates it by
 * class name.
 */
public final class ClosableHttp extends Http11NioProtocol {

  /** Tells the {@link Exchange} when a thread begins and ends to be occupied with a connection. */
  private static final class Served extends Http11Processor {

    private final Exchange exchange;

    Served(ClosableHttp protocol) {
      super(protocol, protocol.getAdapter());
      this.exchange = new Exchange(this, protocol.getConnectionTimeout());
    }

    @Override
    public SocketState process(SocketWrapperBase<?> connection, SocketEvent event)
        throws IOException {
      exchange.enter(connection);
      try {
        return super.process(connection, event);
      } finally {
        exchange.leave();
      }
    }
  }

  /** A head or a body is read past it, in one piece. */
  private static final int READ_BUFFER = 1024;

  private static final int WRITE_BUFFER = 4096;

  /**
   * Each open request keeps its buffers, and a parked hold is one: half of Tomcat's sizes will do.
   */
  public ClosableHttp() {
    getEndpoint().getSocketProperties().setAppReadBufSize(READ_BUFFER);
    getEndpoint().getSocketProperties().setAppWriteBufSize(WRITE_BUFFER);
  }

  /** Of an answer that is not written yet. */
  @Override
  public int getDesiredBufferSize() {
    return WRITE_BUFFER;
  }

  @Override
  protected Processor createProcessor() {
    return new Served(this);
  }

  private record Waiting(NioSocketWrapper connection, long since) {}

  /**
   * Closes connections that wait for a request, those that have waited longest first.
   *
   * <p>A wait begins with the connection or with its last answer. Bytes of a request line or of
   * headers do not end it, so a client cannot prolong it by sending a head without end. A request
   * that is being served, and one that is parked, does not wait.
   *
   * @param atMost how many
   * @param since closes only those that have waited since then
   * @return how many were closed
   */
  int closeWaiting(long atMost, Instant since) {
    List<Waiting> longestFirst =
        getEndpoint().getConnections().stream()
            .map(connection -> (NioSocketWrapper) connection)
            .map(connection -> new Waiting(connection, connection.getLastWrite()))
            .filter(waiting -> waiting.since() < since.toEpochMilli())
            .sorted(Comparator.comparingLong(Waiting::since))
            .toList();
    int closed = 0;
    for (Waiting waiting : longestFirst) {
      if (closed < atMost && closeUnlessServed(waiting.connection())) {
        closed++;
      }
    }
    return closed;
  }

  /** The lock is Tomcat's, which holds it while a thread serves the connection. */
  private static boolean closeUnlessServed(NioSocketWrapper connection) {
    ReentrantLock lock = connection.getLock();
    if (!lock.tryLock()) {
      return false;
    }
    try {
      boolean isParked =
          connection.getCurrentProcessor() instanceof AbstractProcessor request
              && request.isAsync();
      if (isParked || connection.isClosed() || !awaitsBytes(connection)) {
        return false;
      }
      connection.close();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** False once bytes have come: then Tomcat asks for no more, even if no thread serves it yet. */
  private static boolean awaitsBytes(NioSocketWrapper connection) {
    try {
      SelectionKey key =
          connection.getSocket().getIOChannel().keyFor(connection.getPoller().getSelector());
      return key != null && (key.interestOps() & SelectionKey.OP_READ) != 0;
    } catch (CancelledKeyException closedMeanwhile) {
      return false;
    }
  }
}
