package io.asyncflow.flowsvr.edge.web.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of server-sent events to one client.
 *
 * <p>It never blocks and owns no thread: the container resumes writing when the connection is
 * ready. Thread-safe.
 *
 * <p>The container uses the objects of a request for other clients once it has ended. So a thread
 * that is not the container's touches them only under the lock of the stream, and leaves the end of
 * a broken connection to the container: it tells of the error before it uses them again, and then
 * waits for the lock. Otherwise the error of one client would end the stream of another one.
 */
public abstract class ServerSentEvents implements WriteListener, AsyncListener {

  /** The reconnection delay for clients. */
  private static final String RETRY = "retry: 1000\n\n";

  private static final Logger log = LoggerFactory.getLogger(ServerSentEvents.class);

  private final AsyncContext request;
  private final ServletOutputStream out;
  private final Runnable whenGone;
  private boolean hasBegun;
  private boolean isOpen;
  private boolean unflushed;
  private boolean ending;
  private boolean isCut;
  private boolean isBroken;
  private boolean closed;

  /**
   * @param whenGone called once, when the stream has ended
   */
  protected ServerSentEvents(AsyncContext request, ServletOutputStream out, Runnable whenGone) {
    this.request = request;
    this.out = out;
    this.whenGone = whenGone;
  }

  /**
   * Takes the text to be written next, events and comments in their final form; {@code null} if
   * there is none. Called by one thread at a time; must not block.
   */
  protected abstract String take();

  /** Ends the stream when everything is written. */
  public final void end() {
    synchronized (this) {
      ending = true;
    }
    write();
  }

  /** Ends the stream without what has not been taken yet. */
  final void cut() {
    synchronized (this) {
      isCut = true;
    }
    end();
  }

  /** Whether the client gets no more than what it was offered. */
  protected final synchronized boolean isOver() {
    return ending || isBroken || closed;
  }

  @Override
  public final void onWritePossible() {
    synchronized (this) {
      isOpen = true;
    }
    write();
  }

  /**
   * Writes as much as there is and the connection accepts; the container calls again when it
   * accepts more.
   */
  protected final void write() {
    try {
      if (!writeSome()) {
        return;
      }
    } catch (IOException e) {
      return; // onError follows
    } catch (RuntimeException e) {
      log.error("a stream ends by a bug", e);
    }
    close();
  }

  /** Writes without blocking; returns whether everything was written and the stream is complete. */
  private synchronized boolean writeSome() throws IOException {
    try {
      while (isOpen && !isBroken && !closed && out.isReady()) {
        String text = isCut ? null : hasBegun ? take() : RETRY;
        if (text != null) {
          hasBegun = true;
          out.write(text.getBytes(StandardCharsets.UTF_8));
          unflushed = true;
        } else if (unflushed) {
          unflushed = false;
          out.flush();
        } else {
          return ending;
        }
      }
    } catch (IOException e) {
      isBroken = true;
      throw e;
    }
    return false;
  }

  @Override
  public final void onError(Throwable clientIsGone) {
    close();
  }

  @Override
  public final void onError(AsyncEvent clientIsGone) {
    close();
  }

  /** What was written in part is not an event without its end. */
  @Override
  public final void onTimeout(AsyncEvent timeIsOver) {
    close();
  }

  @Override
  public final void onComplete(AsyncEvent end) {
    close();
  }

  @Override
  public final void onStartAsync(AsyncEvent again) {
    // A stream is started once.
  }

  /** Ends the stream at once; does nothing if it has ended. */
  public final void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      try {
        request.complete();
      } catch (IllegalStateException e) {
        // The container has already closed the connection.
      }
    }
    whenGone.run();
  }
}
