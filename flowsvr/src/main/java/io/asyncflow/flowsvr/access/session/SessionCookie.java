package io.asyncflow.flowsvr.access.session;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.access.site.RequestSite;
import io.asyncflow.flowsvr.web.filter.ClientAddress;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/**
 * The cookie that carries the id of a session. Its name depends on the connection, so that nobody
 * who can only write plain HTTP sets the cookie that HTTPS reads.
 */
@Component
public class SessionCookie {

  /** Browsers take it over HTTPS alone, from this host alone, and for all of its paths. */
  private static final String SECURE = "__Host-asyncflow";

  private static final String ON_THIS_MACHINE = "asyncflow";

  private static final List<String> OF_PROXIES =
      List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto");

  private final boolean hasProxy;

  SessionCookie(@Value("${flow.tls.mode:}") String tls) {
    this.hasProxy = tls.strip().equals("proxy");
  }

  /** The id that a request carries. */
  Optional<SessionId> read(HttpServletRequest request) {
    if (request.getHeader(HttpHeaders.COOKIE) == null || request.getCookies() == null) {
      return Optional.empty();
    }
    return nameFor(request)
        .flatMap(
            name ->
                Arrays.stream(request.getCookies())
                    .filter(cookie -> cookie.getName().equals(name))
                    .map(Cookie::getValue)
                    .flatMap(value -> SessionId.parse(value).stream())
                    .findFirst());
  }

  /**
   * Refuses a connection over which others could read the cookie.
   *
   * @throws FlowException with {@link ErrorCode#NOT_PERMITTED}
   */
  public void requireSafe(HttpServletRequest request) {
    if (nameFor(request).isEmpty()) {
      throw new FlowException(
          ErrorCode.NOT_PERMITTED,
          "a log-in over plain HTTP would show the session to the network: set FLOW_TLS_CERT and"
              + " FLOW_TLS_KEY, or FLOW_TLS=proxy if a proxy terminates TLS");
    }
  }

  /** Gives a session to the browser, until it is closed. */
  public void set(HttpServletRequest request, HttpServletResponse response, OpenSession session) {
    add(request, response, session.id().text(), Duration.ofSeconds(-1));
  }

  /** Takes the session from the browser. */
  public void clear(HttpServletRequest request, HttpServletResponse response) {
    add(request, response, "", Duration.ZERO);
  }

  private void add(
      HttpServletRequest request, HttpServletResponse response, String value, Duration maxAge) {
    String name = nameFor(request).orElseThrow();
    response.addHeader(
        HttpHeaders.SET_COOKIE,
        ResponseCookie.from(name, value)
            .httpOnly(true)
            .secure(name.equals(SECURE))
            .sameSite("Lax") // with Strict, a link to a page would find nobody logged in
            .path("/")
            .maxAge(maxAge)
            .build()
            .toString());
  }

  /** Empty over plain HTTP from another machine. */
  private Optional<String> nameFor(HttpServletRequest request) {
    if (request.isSecure() || hasProxy) {
      return Optional.of(SECURE);
    }
    return isOnThisMachine(request) ? Optional.of(ON_THIS_MACHINE) : Optional.empty();
  }

  /**
   * Both ends: a proxy on this machine has the name of a host that others reach, or says for whom
   * it asks.
   */
  private static boolean isOnThisMachine(HttpServletRequest request) {
    String host = request.getHeader(HttpHeaders.HOST);
    return host != null
        && OF_PROXIES.stream().allMatch(name -> request.getHeader(name) == null)
        && RequestSite.isLoopback(RequestSite.nameIn(host))
        && ClientAddress.parse(request.getRemoteAddr())
            .filter(InetAddress::isLoopbackAddress)
            .isPresent();
  }
}
