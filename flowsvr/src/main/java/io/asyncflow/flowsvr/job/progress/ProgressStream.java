package io.asyncflow.flowsvr.job.progress;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stream of server-sent events to one client about one job.
 *
 * <p>It never blocks and owns no thread: the container resumes writing when the connection is
 * ready, and a newer event replaces an unsent one. Thread-safe.
 */
public final class ProgressStream implements ProgressFeed.Listener, WriteListener {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String BEAT = ":\n\n";

  /** The reconnection delay for clients. */
  private static final String RETRY = "retry: 1000\n\n";

  private final AsyncContext request;
  private final ServletOutputStream out;
  private final Runnable whenGone;
  private String pending = RETRY;
  private boolean isOpen;
  private boolean unflushed;
  private boolean ending;
  private boolean closed;

  /**
   * @param whenGone called once, when the stream has ended
   */
  public ProgressStream(AsyncContext request, ServletOutputStream out, Runnable whenGone) {
    this.request = request;
    this.out = out;
    this.whenGone = whenGone;
  }

  /** The event id of a snapshot; two different ends of one job have different ids. */
  static String idOf(JobSnapshot snapshot) {
    return "" + snapshot.version();
  }

  @Override
  public void tell(JobSnapshot snapshot) {
    String event =
        "id: %s\nevent: %s\ndata: %s\n\n"
            .formatted(
                idOf(snapshot),
                snapshot.hasEnded() ? "end" : "progress",
                JSON.writeValueAsString(snapshot.progress()));
    synchronized (this) {
      pending = RETRY.equals(pending) ? RETRY + event : event;
    }
    write();
  }

  @Override
  public void beat() {
    synchronized (this) {
      if (pending == null) {
        pending = BEAT;
      }
    }
    write();
  }

  @Override
  public void end() {
    synchronized (this) {
      ending = true;
    }
    write();
  }

  @Override
  public void onWritePossible() {
    synchronized (this) {
      isOpen = true;
    }
    write();
  }

  /** Writes as much as the connection accepts; the container calls again when it accepts more. */
  private void write() {
    try {
      if (!writeSome()) {
        return;
      }
    } catch (IOException | RuntimeException e) {
      onError(e);
      return;
    }
    close();
  }

  /** Writes without blocking; returns whether everything was written and the stream is complete. */
  private synchronized boolean writeSome() throws IOException {
    while (isOpen && !closed && out.isReady()) {
      if (pending != null) {
        out.write(pending.getBytes(StandardCharsets.UTF_8));
        pending = null;
        unflushed = true;
      } else if (unflushed) {
        unflushed = false;
        out.flush();
      } else {
        return ending;
      }
    }
    return false;
  }

  @Override
  public void onError(Throwable clientIsGone) {
    close();
  }

  /** Ends the stream at once; does nothing if it has ended. */
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    whenGone.run();
    try {
      request.complete();
    } catch (IllegalStateException e) {
      // The container has already closed the connection.
    }
  }
}
