package io.asyncflow.flowsvr.web.load;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Undoes what was done for callers who have hung up by the time they are answered.
 *
 * <p>Nobody hears of a closed connection while its request waits, and the first bytes of an answer
 * go into it without an error. So its end is looked for just before they are written. A caller
 * whose machine has vanished leaves no end to find, and one that goes a moment later has got the
 * answer for all that anybody here can tell.
 */
@RestControllerAdvice
public class GoneCallers
    implements ResponseBodyAdvice<Object>,
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  private static final Logger log = LoggerFactory.getLogger(GoneCallers.class);

  private static final String CONNECTION = GoneCallers.class.getName() + ".connection";
  private static final String REMEDY = GoneCallers.class.getName() + ".remedy";

  /**
   * Says what is to be done if it turns out that the caller of this request does not get the
   * answer; it is done once, by the thread that answers.
   *
   * @param remedy returns what is answered instead, to a caller that has only ended its half of the
   *     connection
   */
  public static void whenGone(HttpServletRequest request, Supplier<?> remedy) {
    request.setAttribute(REMEDY, remedy);
  }

  /** The caller does not get this answer; returns what it is told instead, if it still listens. */
  public static Object undo(HttpServletRequest request, Object answer) {
    if (request.getAttribute(REMEDY) instanceof Supplier<?> remedy) {
      request.removeAttribute(REMEDY);
      try {
        return remedy.get();
      } catch (RuntimeException e) {
        log.warn("what was done for a caller that is gone could not be undone", e);
      }
    }
    return answer;
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addEngineValves(new ConnectionValve());
  }

  private static final class ConnectionValve extends ValveBase {

    ConnectionValve() {
      super(true); // requests may be asynchronous
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
      request.setAttribute(CONNECTION, request.getCoyoteRequest());
      getNext().invoke(request, response);
    }
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
    HttpServletRequest asked = ((ServletServerHttpRequest) request).getServletRequest();
    if (asked.getAttribute(REMEDY) != null
        && asked.getAttribute(CONNECTION) instanceof org.apache.coyote.Request connection
        && hasEnded(connection)) {
      log.info("{} {}: the client is gone", asked.getMethod(), asked.getRequestURI());
      return undo(asked, body);
    }
    return body;
  }

  /**
   * Whether there is nothing more to come. What a client has sent ahead is there to be read once,
   * the end each time that somebody looks.
   */
  private static boolean hasEnded(org.apache.coyote.Request connection) {
    return connection.isFinished() && isReadable(connection) && isReadable(connection);
  }

  private static boolean isReadable(org.apache.coyote.Request connection) {
    connection.action(ActionCode.AVAILABLE, true);
    return connection.getAvailable() > 0;
  }
}
