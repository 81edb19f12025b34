package io.asyncflow.flowsvr.edge.web.guard;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.web.budget.Budget;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/**
 * Bounds how much is read of a body whose request was answered without reading it, such as a
 * refusal.
 *
 * <p>Most clients send the whole body before they read the answer. The server therefore reads all
 * bytes that have arrived, and waits a moment for the rest if the {@link Exchange} may. Tomcat
 * itself would wait ten seconds a byte in the request's thread, so 400 clients without a key could
 * occupy all threads. If the rest is not read, the connection is closed.
 */
@Component
class UnreadBodies implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  /** More than the largest JSON body, so that the sender of a larger one can read the answer. */
  private static final long MOST_BYTES = 32L * 1024 * 1024;

  /** Up to so many bytes, all bodies are read on. */
  private static final long SHORT_BYTES = 64L * 1024;

  /** The number of longer bodies that are read on at once; more would slow other requests. */
  private static final int LONG_BODIES = 4;

  private static final Duration MOMENT = Duration.ofSeconds(2);

  /** Bounds a body to 32 MiB a second, which leaves the cores to other requests. */
  private static final Duration PAUSE = Duration.ofMillis(2);

  private static final int BYTES_A_PAUSE = 64 * 1024;

  private final Budget longBodies = new Budget("unread bodies", LONG_BODIES);
  private final Node node;

  UnreadBodies(Node node) {
    this.node = node;
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addEngineValves(new Leftovers());
    factory.addConnectorCustomizers(
        connector -> {
          AbstractHttp11Protocol<?> http =
              (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
          http.setContinueResponseTiming(
              ContinueResponseTiming.ON_REQUEST_BODY_READ.toString()); // not for refused requests
          // Tomcat reads chunk extensions and trailers to their end, however slowly they arrive; no
          // client needs them.
          http.setMaxExtensionSize(0);
          http.setMaxTrailerSize(2); // the end of the line that ends a body
        });
  }

  private final class Leftovers extends ValveBase {

    Leftovers() {
      super(true); // requests may be asynchronous
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
      getNext().invoke(request, response);
      org.apache.coyote.Request body = request.getCoyoteRequest();
      if (!request.isAsync()
          && !body.isFinished()
          && !isReadOn(body, response.getStatus(), Exchange.of(request))) {
        body.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
      }
    }
  }

  /** Reads on; returns whether the whole body has been read. */
  private boolean isReadOn(org.apache.coyote.Request body, int status, Exchange exchange) {
    // Do not wait again for a body that was too slow, nor for a client that expects "100 Continue"
    // and got none. Nor read chunked bodies: the bytes between chunks are read without a check of
    // the clock.
    if (status == HttpStatus.REQUEST_TIMEOUT.value()
        || body.hasExpectation()
        || body.getContentLengthLong() < 0) {
      return false;
    }
    Discard discard = new Discard();
    long begin = node.nanoTime();
    long bytes = 0;
    long beforePause = 0;
    boolean mayBeLong = false;
    try {
      while (!body.isFinished()) {
        mayBeLong = mayBeLong || bytes > SHORT_BYTES && exchange.tryTake(longBodies, 1);
        if (bytes > (mayBeLong ? MOST_BYTES : SHORT_BYTES)
            || node.nanoTime() - begin > MOMENT.toNanos()) {
          return false;
        }
        body.action(ActionCode.AVAILABLE, true);
        boolean hasCome = body.getAvailable() > 0;
        if (hasCome) {
          int count = body.doRead(discard);
          if (count < 0) {
            return true;
          }
          bytes += count;
        } else if (!exchange.mayWait()) {
          return false;
        }
        if (!hasCome || bytes - beforePause >= BYTES_A_PAUSE) {
          LockSupport.parkNanos(PAUSE.toNanos()); // a read would block until Tomcat's time-out
          beforePause = bytes;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // the client is gone or silent
    }
  }

  private static final class Discard implements ApplicationBufferHandler {

    private ByteBuffer buffer = ByteBuffer.allocate(0);

    @Override
    public void setByteBuffer(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public ByteBuffer getByteBuffer() {
      return buffer;
    }

    @Override
    public void expand(int size) {
      // Filters pass their own buffer.
    }
  }
}
