package io.asyncflow.flowsvr.edge.web.guard;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.edge.web.filter.FilterOrder;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives up on a client that sends its body, or reads its answer, too slowly; and reads the forms of
 * pages, which Tomcat would read without a look at the clock. Tomcat's own time-out restarts with
 * every byte, so a client that sends or takes a byte now and then would occupy a thread for days.
 * Requests to Actuator's endpoints must have no body: Spring would read a body of any size into
 * memory, for clients without a key, too.
 *
 * <p>A client has some seconds of patience. Waiting for it spends them, and each byte earns them
 * back, but never more than there were at first. The clock is looked at after each read and write;
 * Tomcat's time-out ends the request of a client that does nothing. Before a client is waited for
 * at all, the {@link Exchange} needs a place.
 */
@Component
@Order(FilterOrder.BODY)
public class ClientPace extends OncePerRequestFilter {

  private static final String ACTUATOR = "/actuator";

  /** Slower than any usable network connection. */
  private static final int LEAST_BYTES_A_SECOND = 8 * 1024;

  /** An answer up to this length need not be waited for: the connection has room for it. */
  private static final int FITS_INTO_THE_CONNECTION = 16 * 1024;

  private static final int AT_ONCE = 64 * 1024;

  private static final long NANOS_A_BYTE = Duration.ofSeconds(1).toNanos() / LEAST_BYTES_A_SECOND;

  private final Node node;
  private final Duration patience;

  /**
   * @param patience how long a client may keep its request waiting regardless of its rate
   */
  ClientPace(Node node, @Value("${flow.body-patience:10s}") Duration patience) {
    this.node = node;
    this.patience = patience;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getServletPath().startsWith(ACTUATOR) && !request.getInputStream().isFinished()) {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.INVALID_INPUT, "the route takes no body: send the request without"));
      return;
    }
    // Requests without a length may have a body, as in HTTP/2.
    chain.doFilter(
        request.getContentLengthLong() != 0 ? new PacedRequest(request) : request,
        new PacedResponse(response, Exchange.of(request)));
  }

  /** The error for a body that arrived too slowly or stopped arriving. */
  public static FlowException tooSlow(Throwable cause) {
    return new FlowException(
        ErrorCode.BODY_TOO_SLOW,
        "the body came too slowly: after its first seconds at least "
            + LEAST_BYTES_A_SECOND / 1024
            + " KiB a second must come; repeat the request, and send less at once",
        List.of(),
        cause);
  }

  /** What is left of the patience with a client. */
  private final class Patience {

    private long left = patience.toNanos();

    /** Whether it is spent by a wait since then, for so many bytes. */
    boolean isSpent(long since, int bytes) {
      left = Math.min(patience.toNanos(), left - (node.nanoTime() - since) + bytes * NANOS_A_BYTE);
      return left < 0;
    }
  }

  private final class PacedRequest extends HttpServletRequestWrapper {

    private ServletInputStream body;
    private Map<String, String[]> form;
    private RuntimeException unreadable;

    PacedRequest(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (body == null) {
        body = new PacedBody(super.getInputStream(), this);
      }
      return body;
    }

    @Override
    public String getParameter(String name) {
      String[] values = getParameterValues(name);
      return values == null ? null : values[0];
    }

    @Override
    public String[] getParameterValues(String name) {
      String[] values = getParameterMap().get(name);
      return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
      return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public Map<String, String[]> getParameterMap() {
      if (!PageForm.isIn(this)) {
        return super.getParameterMap();
      }
      if (unreadable != null) { // or the rest of the body would pass for all of it
        throw unreadable;
      }
      if (form == null) {
        try {
          form = Collections.unmodifiableMap(read());
        } catch (RuntimeException e) {
          unreadable = e;
          throw e;
        }
      }
      return form;
    }

    private Map<String, String[]> read() {
      try {
        return PageForm.read(this, getInputStream());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final class PacedBody extends ServletInputStream {

    private final ServletInputStream in;
    private final HttpServletRequest request;
    private final boolean isChunked; // what is there may be a part of a chunk's size
    private final Exchange exchange;
    private final Patience left = new Patience();

    PacedBody(ServletInputStream in, HttpServletRequest request) {
      this.in = in;
      this.request = request;
      this.isChunked = request.getContentLengthLong() < 0;
      this.exchange = Exchange.of(request);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      boolean mayWait = !isChunked && in.available() > 0 || in.isFinished() || exchange.mayWait();
      long begin = node.nanoTime(); // counts waiting for the client only, not for the disk
      try {
        int count = in.read(buffer, offset, length);
        return timed(count, count, begin);
      } catch (IOException e) {
        if (mayWait || !(e.getCause() instanceof SocketTimeoutException)) {
          throw e;
        }
        FlowException refusal = exchange.hasNoPlace();
        // Tomcat answers a time-out by itself, by its error page: this is what went wrong.
        request.setAttribute(RequestDispatcher.ERROR_EXCEPTION, refusal);
        throw refusal;
      }
    }

    /** The end of the body is never too late. */
    private int timed(int answer, int count, long begin) {
      if (answer < 0) {
        exchange.bodyHasCome();
      } else if (left.isSpent(begin, count)) {
        throw tooSlow(null);
      }
      return answer;
    }

    @Override
    public int available() throws IOException {
      return in.available();
    }

    @Override
    public void close() throws IOException {
      in.close();
    }

    @Override
    public boolean isFinished() {
      return in.isFinished();
    }

    @Override
    public boolean isReady() {
      return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      in.setReadListener(listener);
    }
  }

  /** Pages and answers are written to its stream. */
  private final class PacedResponse extends HttpServletResponseWrapper {

    private final Exchange exchange;
    private ServletOutputStream out;

    PacedResponse(HttpServletResponse response, Exchange exchange) {
      super(response);
      this.exchange = exchange;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      if (out == null) {
        out = new PacedAnswer(super.getOutputStream(), exchange);
      }
      return out;
    }
  }

  private final class PacedAnswer extends ServletOutputStream {

    private final ServletOutputStream out;
    private final Exchange exchange;
    private final Patience left = new Patience();
    private long bytes;
    private boolean isBlocking = true;

    PacedAnswer(ServletOutputStream out, Exchange exchange) {
      this.out = out;
      this.exchange = exchange;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] some, int offset, int length) throws IOException {
      bytes += length;
      if (!isBlocking || bytes <= FITS_INTO_THE_CONNECTION || !exchange.mayWait()) {
        out.write(some, offset, length);
        return;
      }
      int to = offset + length;
      for (int from = offset; from < to; from += AT_ONCE) {
        int count = Math.min(AT_ONCE, to - from);
        long begin = node.nanoTime();
        out.write(some, from, count);
        if (left.isSpent(begin, count)) {
          throw new SocketTimeoutException("the client takes its answer too slowly");
        }
      }
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.close();
    }

    @Override
    public boolean isReady() {
      return out.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      isBlocking = false;
      out.setWriteListener(listener);
    }
  }
}
