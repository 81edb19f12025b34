package io.asyncflow.flowsvr.job.progress;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client that listens to a job by server-sent events.
 *
 * <p>Nothing here blocks, and no thread belongs to it: what cannot be written now is written by the
 * container when the connection takes it, and a newer event takes the place of one that nobody has
 * read yet. Thread-safe.
 */
public final class ProgressStream implements ProgressFeed.Listener, WriteListener {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String BEAT = ":\n\n";

  /** How soon a client comes back whose connection broke. */
  private static final String RETRY = "retry: 1000\n\n";

  private final AsyncContext request;
  private final ServletOutputStream out;
  private final Runnable whenGone;
  private String next = RETRY;
  private boolean isOpen;
  private boolean unflushed;
  private boolean ending;
  private boolean closed;

  /**
   * @param whenGone called once it takes no more
   */
  public ProgressStream(AsyncContext request, ServletOutputStream out, Runnable whenGone) {
    this.request = request;
    this.out = out;
    this.whenGone = whenGone;
  }

  /** The id of the event that tells this; of one job no two different ends have the same. */
  static String idOf(JobSnapshot sight) {
    return "" + sight.version();
  }

  @Override
  public void tell(JobSnapshot sight) {
    String event =
        "id: %s\nevent: %s\ndata: %s\n\n"
            .formatted(
                idOf(sight),
                sight.hasEnded() ? "end" : "progress",
                JSON.writeValueAsString(sight.progress()));
    synchronized (this) {
      next = RETRY.equals(next) ? RETRY + event : event;
    }
    write();
  }

  @Override
  public void beat() {
    synchronized (this) {
      if (next == null) {
        next = BEAT;
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

  /** As much as the connection takes; the container calls again when it takes more. */
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

  /** Whether all was written, and that was all. */
  private synchronized boolean writeSome() throws IOException {
    while (isOpen && !closed && out.isReady()) {
      if (next != null) {
        out.write(next.getBytes(StandardCharsets.UTF_8));
        next = null;
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

  /** Ends it at once; does nothing if it has ended. */
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
      // The container was first: the connection is closed already.
    }
  }
}
