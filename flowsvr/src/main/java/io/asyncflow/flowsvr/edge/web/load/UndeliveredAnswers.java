package io.asyncflow.flowsvr.edge.web.load;

import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Undoes the work for callers that closed their connection before the answer.
 *
 * <p>The server gets no event when a connection closes during a request, and the first bytes of an
 * answer are written without an error. So the connection's end is checked just before the answer is
 * written, and, while a hold is parked, about once a second. Over HTTP/2 no end is seen. A caller
 * whose machine has vanished, or that disconnects a moment later, is not detected.
 */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE) // what is sent instead is an answer like every other
public class UndeliveredAnswers implements ResponseBodyAdvice<Object> {

  private static final Logger log = LoggerFactory.getLogger(UndeliveredAnswers.class);

  private static final String REMEDY = UndeliveredAnswers.class.getName() + ".remedy";

  /**
   * Registers the remedy for a caller that does not get the answer. It runs at most once, in the
   * thread that answers.
   *
   * @param remedy returns the answer to send instead, for a caller that has closed only its half of
   *     the connection
   */
  public static void whenGone(HttpServletRequest request, Supplier<?> remedy) {
    request.setAttribute(REMEDY, remedy);
  }

  /**
   * Runs the remedy because the caller does not get this answer; returns the answer to send
   * instead.
   */
  public static Object undo(HttpServletRequest request, Object answer) {
    if (request.getAttribute(REMEDY) instanceof Supplier<?> remedy) {
      request.removeAttribute(REMEDY);
      try {
        return remedy.get();
      } catch (RuntimeException e) {
        log.warn("the work for a caller that is gone could not be undone", e);
      }
    }
    return answer;
  }

  @Override
  public boolean supports(
      MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
    return true;
  }

  @Override
  public Object beforeBodyWrite(
      Object body,
      MethodParameter returnType,
      MediaType contentType,
      Class<? extends HttpMessageConverter<?>> converter,
      ServerHttpRequest request,
      ServerHttpResponse response) {
    HttpServletRequest servletRequest = ((ServletServerHttpRequest) request).getServletRequest();
    if (servletRequest.getAttribute(REMEDY) != null && hangUpOf(servletRequest).getAsBoolean()) {
      log.info(
          "{} {}: the client is gone", servletRequest.getMethod(), servletRequest.getRequestURI());
      return undo(servletRequest, body);
    }
    return body;
  }

  /**
   * Tells whether the client of a request has closed its half of the connection. May be asked in
   * any thread, but not by two at a time, and not once the request is being answered.
   */
  public static BooleanSupplier hangUpOf(HttpServletRequest request) {
    Optional<Request> connection = Exchange.of(request).request();
    return () -> connection.filter(UndeliveredAnswers::hasEnded).isPresent();
  }

  /**
   * Whether the client has closed its half. Pipelined bytes can be read once, the end any number of
   * times.
   */
  private static boolean hasEnded(Request connection) {
    return connection.isFinished() && isReadable(connection) && isReadable(connection);
  }

  private static boolean isReadable(Request connection) {
    connection.action(ActionCode.AVAILABLE, false);
    if (connection.getAvailable() > 0) { // bytes that were read before
      return false;
    }
    connection.action(ActionCode.AVAILABLE, true);
    return connection.getAvailable() > 0;
  }
}
