package io.asyncflow.flowsvr.web.stream;

import io.asyncflow.flowsvr.web.load.CallerShare;
import io.asyncflow.flowsvr.web.load.OpenCalls;
import io.asyncflow.flowsvr.web.load.OpenLimit;
import io.asyncflow.flowsvr.web.load.WaitingRequests;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/** Turns requests into streams of server-sent events, so many of one address. Thread-safe. */
@Component
public class StreamOpener {

  /** The name of the header with which a client that comes back says what it has received. */
  public static final String LAST_EVENT_ID = "Last-Event-ID";

  private final CallerShare streams;
  private final OpenCalls calls;

  public StreamOpener(
      WaitingRequests waiting,
      OpenCalls calls,
      @Value("${flow.max-streams-per-address:200}") int streamsPerAddress,
      @Value("${flow.max-streams-per-key:200}") int streamsPerKey) {
    this.streams =
        new CallerShare(
            waiting,
            new OpenLimit(streamsPerKey, "streams of one access key"),
            new OpenLimit(streamsPerAddress, "streams of one address"));
    this.calls = calls;
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
    Runnable leave = streams.enter(request.getRemoteAddr());
    AtomicReference<S> self = new AtomicReference<>();
    Runnable over = calls.add(() -> end(self.get()));
    boolean isFed = false;
    try {
      response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE + ";charset=UTF-8");
      response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
      response.setHeader("X-Accel-Buffering", "no"); // otherwise nginx buffers events
      ServletOutputStream out = response.getOutputStream();
      AsyncContext async = request.startAsync();
      async.setTimeout(0);
      self.set(
          maker.make(
              async,
              out,
              () -> {
                leave.run();
                over.run();
                stop.accept(self.get());
              }));
      async.addListener(self.get());
      out.setWriteListener(self.get());
      begin.accept(self.get());
      isFed = true;
    } finally {
      if (!isFed) {
        leave(leave, over, self.get());
      }
    }
  }

  /**
   * @param stream {@code null} if it was not created yet: then it is ended a moment later
   */
  private static void end(ServerSentEvents stream) {
    if (stream != null) {
      stream.cut();
    }
  }

  /**
   * @param stream returns its own permit, once; {@code null} if it was not created
   */
  private static void leave(Runnable leave, Runnable over, ServerSentEvents stream) {
    if (stream == null) {
      over.run();
      leave.run();
    } else {
      stream.close();
    }
  }
}
