package io.asyncflow.flowsvr.edge.access.session;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.site.RequestSite;
import io.asyncflow.flowsvr.edge.web.filter.ClientAddress;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;

/**
 * A cookie for this server alone, out of reach of scripts. Its name depends on the connection, so
 * that nobody who can only write plain HTTP sets the cookie that HTTPS reads. Immutable.
 */
public final class HostCookie {

  /** Browsers take it over HTTPS alone, from this host alone, and for all of its paths. */
  private static final String SECURE = "__Host-";

  private static final List<String> OF_PROXIES =
      List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto");

  private final String name;
  private final boolean hasProxy;

  /**
   * @param tls the setting {@code FLOW_TLS}
   */
  public HostCookie(String name, String tls) {
    this.name = name;
    this.hasProxy = tls.strip().equals("proxy");
  }

  /** The values that a request carries. */
  public Stream<String> read(HttpServletRequest request) {
    if (request.getHeader(HttpHeaders.COOKIE) == null || request.getCookies() == null) {
      return Stream.empty();
    }
    return nameFor(request).stream()
        .flatMap(
            expected ->
                Arrays.stream(request.getCookies())
                    .filter(cookie -> cookie.getName().equals(expected))
                    .map(Cookie::getValue));
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

  /**
   * Gives the cookie to the browser.
   *
   * @param life negative: until the browser is closed
   */
  public void set(
      HttpServletRequest request, HttpServletResponse response, String value, Duration life) {
    String named = nameFor(request).orElseThrow();
    response.addHeader(
        HttpHeaders.SET_COOKIE,
        ResponseCookie.from(named, value)
            .httpOnly(true)
            .secure(named.startsWith(SECURE))
            .sameSite("Lax") // with Strict, a link to a page would find nobody logged in
            .path("/")
            .maxAge(life)
            .build()
            .toString());
  }

  /** Takes the cookie from the browser. */
  public void clear(HttpServletRequest request, HttpServletResponse response) {
    set(request, response, "", Duration.ZERO);
  }

  /** Empty over plain HTTP from another machine. */
  private Optional<String> nameFor(HttpServletRequest request) {
    if (request.isSecure() || hasProxy) {
      return Optional.of(SECURE + name);
    }
    return isOnThisMachine(request) ? Optional.of(name) : Optional.empty();
  }

  /**
   * Both ends: a proxy on this machine has the name of a host that others reach, or says for whom
   * it asks.
   */
  private static boolean isOnThisMachine(HttpServletRequest request) {
    String host = request.getHeader(HttpHeaders.HOST);
    return host != null
        && OF_PROXIES.stream().allMatch(header -> request.getHeader(header) == null)
        && RequestSite.isLoopback(RequestSite.nameIn(host))
        && ClientAddress.parse(request.getRemoteAddr())
            .filter(InetAddress::isLoopbackAddress)
            .isPresent();
  }
}
