package io.asyncflow.flowsvr.compose.job.progress;

import io.asyncflow.flowsvr.edge.web.stream.ServerSentEvents;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import tools.jackson.databind.json.JsonMapper;

/** The stream to one client about one job; a newer event replaces an unsent one. Thread-safe. */
public final class ProgressStream extends ServerSentEvents implements ProgressFeed.Listener {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String BEAT = ":\n\n";

  private String pending;

  /**
   * @param whenGone called once, when the stream has ended
   */
  public ProgressStream(AsyncContext request, ServletOutputStream out, Runnable whenGone) {
    super(request, out, whenGone);
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
      pending = event;
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
  protected synchronized String take() {
    String next = pending;
    pending = null;
    return next;
  }
}
