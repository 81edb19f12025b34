package io.asyncflow.flowsvr.web.guard;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.web.filter.FilterOrder;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 * Stops reading a body that arrives too slowly, and reads the forms of pages, which Tomcat would
 * read without a look at the clock. Tomcat's own time-out restarts with every byte, so a client
 * that sends a byte now and then would occupy a thread for days. Requests to Actuator's endpoints
 * must have no body: Spring would read a body of any size into memory, for clients without a key,
 * too.
 *
 * <p>The clock is checked after each read. Tomcat's time-out ends the request of a silent client.
 */
@Component
@Order(FilterOrder.BODY)
public class BodyPace extends OncePerRequestFilter {

  private static final String ACTUATOR = "/actuator";

  /** Slower than any usable network connection. */
  private static final int LEAST_BYTES_A_SECOND = 8 * 1024;

  private static final long NANOS_A_BYTE = Duration.ofSeconds(1).toNanos() / LEAST_BYTES_A_SECOND;

  private final Node node;
  private final Duration patience;

  /**
   * @param patience how long a body may take regardless of its rate
   */
  BodyPace(Node node, @Value("${flow.body-patience:10s}") Duration patience) {
    this.node = node;
    this.patience = patience;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!request.getServletPath().startsWith(ACTUATOR)) {
      // Requests without a length may have a body, as in HTTP/2.
      chain.doFilter(
          request.getContentLengthLong() != 0 ? new PacedRequest(request) : request, response);
    } else if (request.getInputStream().isFinished()) {
      chain.doFilter(request, response);
    } else {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.INVALID_INPUT, "the route takes no body: send the request without"));
    }
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
        body = new PacedBody(super.getInputStream());
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
    private long bytes;
    private long waited;

    PacedBody(ServletInputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      long begin = node.nanoTime();
      return counted(in.read(), 1, begin);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      long begin = node.nanoTime();
      int count = in.read(buffer, offset, length);
      return counted(count, count, begin);
    }

    /** The end of the body is never too late. */
    private int counted(int answer, int count, long begin) {
      if (answer >= 0) {
        bytes += count;
        waited += node.nanoTime() - begin; // counts waiting for the client only, not for the disk
        long overtime = waited - patience.toNanos();
        if (overtime > 0 && overtime / NANOS_A_BYTE > bytes) {
          throw tooSlow(null);
        }
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
}
