package io.asyncflow.flowsvr.access.session;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The cookie that carries the id of a session. */
@Component
public class SessionCookie {

  /** Until the browser is closed. */
  private static final Duration OPEN = Duration.ofSeconds(-1);

  private final HostCookie cookie;

  SessionCookie(@Value("${flow.tls.mode:}") String tls) {
    this.cookie = new HostCookie("asyncflow", tls);
  }

  /** The id that a request carries. */
  Optional<SessionId> read(HttpServletRequest request) {
    return cookie.read(request).flatMap(value -> SessionId.parse(value).stream()).findFirst();
  }

  /**
   * Refuses a connection over which others could read the cookie.
   *
   * @throws FlowException with {@link ErrorCode#NOT_PERMITTED}
   */
  public void requireSafe(HttpServletRequest request) {
    cookie.requireSafe(request);
  }

  /** Gives a session to the browser, until it is closed. */
  public void set(HttpServletRequest request, HttpServletResponse response, OpenSession session) {
    cookie.set(request, response, session.id().text(), OPEN);
  }

  /** Takes the session from the browser. */
  public void clear(HttpServletRequest request, HttpServletResponse response) {
    cookie.clear(request, response);
  }
}
