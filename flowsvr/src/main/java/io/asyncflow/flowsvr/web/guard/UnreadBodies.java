package io.asyncflow.flowsvr.web.guard;

import io.asyncflow.flowsvr.system.Node;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/**
 * Bounds what is read of a body that a request was answered without, as refusals are.
 *
 * <p>Most clients send all of it before they look at the answer, so what is there already is always
 * read, and for what is on its way a few threads wait a moment. Tomcat by itself would wait for it
 * with the request's thread, ten seconds a byte: 400 clients without a key would take all threads.
 * Where it is given up, the connection is closed.
 */
@Component
class UnreadBodies implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  /** Enough for what is larger than a JSON body may be, so that its sender is told. */
  private static final long MOST_BYTES = 32L * 1024 * 1024;

  private static final Duration MOMENT = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final Node node;
  private final Semaphore waiting;

  /**
   * @param threads of Tomcat; of 400 ten may wait
   */
  UnreadBodies(Node node, @Value("${server.tomcat.threads.max}") int threads) {
    this.node = node;
    this.waiting = new Semaphore(Math.max(1, threads / 40));
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addEngineValves(new Leftovers());
    factory.addConnectorCustomizers(
        connector -> {
          AbstractHttp11Protocol<?> http =
              (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
          http.setContinueResponseTiming(
              ContinueResponseTiming.ON_REQUEST_BODY_READ.toString()); // not to those refused
          // Tomcat reads both to their end at once, however slowly they come; no client needs any.
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
      if (!request.isAsync() && !body.isFinished() && !isReadOn(body, response.getStatus())) {
        body.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
      }
    }
  }

  /** Whether all of the body has been read now. */
  private boolean isReadOn(org.apache.coyote.Request body, int status) {
    // What came too slowly is not waited for again; a client that expects a go-ahead has got none.
    // What is between chunks is read without a look at the clock, so a body in chunks is left.
    if (status == HttpStatus.REQUEST_TIMEOUT.value()
        || body.hasExpectation()
        || body.getContentLengthLong() < 0) {
      return false;
    }
    Discard discard = new Discard();
    long begin = node.nanoTime();
    long bytes = 0;
    boolean waits = false;
    try {
      while (!body.isFinished()) {
        if (bytes > MOST_BYTES || node.nanoTime() - begin > MOMENT.toNanos()) {
          return false;
        }
        body.action(ActionCode.AVAILABLE, true);
        if (body.getAvailable() > 0) {
          int count = body.doRead(discard);
          if (count < 0) {
            return true;
          }
          bytes += count;
        } else if (waits || waiting.tryAcquire()) {
          waits = true;
          LockSupport.parkNanos(PAUSE.toNanos()); // to read would be to wait for Tomcat's time-out
        } else {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // the client is gone, or silent
    } finally {
      if (waits) {
        waiting.release();
      }
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
      // Filters hand over their own buffer.
    }
  }
}
