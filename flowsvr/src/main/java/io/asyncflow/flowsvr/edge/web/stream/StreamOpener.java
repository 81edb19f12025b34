package io.asyncflow.flowsvr.edge.web.stream;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests.Kind;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/**
 * Turns requests into streams of server-sent events, so many of one address. A stream ends with the
 * token or the session of its caller, and after an hour: a client that comes back has to prove
 * again who it is. It ends, too, when the server stops. Thread-safe.
 */
@Component
public class StreamOpener {

  /** The name of the header with which a client that comes back says what it has received. */
  public static final String LAST_EVENT_ID = "Last-Event-ID";

  private static final Duration LONGEST = Duration.ofHours(1);

  private final WaitingRequests waiting;
  private final OpenCalls calls;
  private final Node node;
  private final Set<ServerSentEvents> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closing;

  public StreamOpener(WaitingRequests waiting, OpenCalls calls, Node node) {
    this.waiting = waiting;
    this.calls = calls;
    this.node = node;
  }

  /** Makes a stream of a request. */
  @FunctionalInterface
  public interface Maker<S extends ServerSentEvents> {

    /**
     * @param whenGone to be called once, when the stream has ended
     */
    S make(AsyncContext request, ServletOutputStream out, Runnable whenGone);
  }

  /**
   * Answers a request with a stream.
   *
   * @param begin begins to feed the stream
   * @param stop stops feeding it
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#LIMIT_EXCEEDED}
   *     if the address, or the access key, has too many streams
   */
  public <S extends ServerSentEvents> void open(
      HttpServletRequest request,
      HttpServletResponse response,
      Maker<S> maker,
      Consumer<S> begin,
      Consumer<S> stop)
      throws IOException {
    Runnable leave = waiting.enter(Kind.STREAM, request.getRemoteAddr());
    AtomicReference<S> self = new AtomicReference<>();
    Runnable over = calls.add(() -> end(self.get()));
    try {
      response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE + ";charset=UTF-8");
      response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
      response.setHeader("X-Accel-Buffering", "no"); // otherwise nginx buffers events
      ServletOutputStream out = response.getOutputStream();
      AsyncContext async = request.startAsync();
      async.setTimeout(timeLeft().toMillis());
      self.set(
          maker.make(
              async,
              out,
              () -> {
                leave.run();
                over.run();
                open.remove(self.get());
                stop.accept(self.get());
              }));
      async.addListener(self.get());
      out.setWriteListener(self.get());
      open.add(self.get());
      begin.accept(self.get());
      if (closing) {
        self.get().end();
      }
    } catch (Throwable e) {
      if (self.get() == null) {
        over.run();
        leave.run();
      } else {
        self.get().close(); // runs both
      }
      throw e;
    }
  }

  /** Ends all streams; clients reconnect by themselves, to another server. */
  @EventListener(ContextClosedEvent.class)
  void endAll() {
    closing = true;
    open.forEach(ServerSentEvents::end);
  }

  /** Not zero, which would be for ever. */
  private Duration timeLeft() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    if (caller == null || !(caller.getDetails() instanceof Long endNanos)) {
      return LONGEST;
    }
    long left = Math.min(endNanos - node.nanoTime(), LONGEST.toNanos());
    return Duration.ofMillis(Math.max(TimeUnit.NANOSECONDS.toMillis(left), 1));
  }

  /**
   * @param stream {@code null} if it was not created yet: then it is ended a moment later
   */
  private static void end(ServerSentEvents stream) {
    if (stream != null) {
      stream.cut();
    }
  }
}
