package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Callers;
import io.asyncflow.flowsvr.edge.access.session.OpenSession;
import io.asyncflow.flowsvr.edge.access.session.Sessions;
import io.asyncflow.flowsvr.edge.access.site.RequestSite;
import io.asyncflow.flowsvr.edge.web.filter.HealthRoute;
import io.asyncflow.flowsvr.edge.web.tls.ClientCertificate;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.filter.GenericFilterBean;

/**
 * Finds the caller of a request: by its bearer token, or if it has no {@code Authorization} by the
 * cookie of its session, or by the certificate of its client. Refuses nothing: routes that are open
 * need no caller, and {@link Routes} sees to all others.
 */
class CallerFilter extends GenericFilterBean {

  private static final String SCHEME = "Bearer ";
  private static final String REFUSAL = CallerFilter.class.getName() + ".refusal";

  private final Callers callers;
  private final Sessions sessions;
  private final EnvironmentKeyUse environmentKeyUse;

  CallerFilter(Callers callers, Sessions sessions, EnvironmentKeyUse environmentKeyUse) {
    this.callers = callers;
    this.sessions = sessions;
    this.environmentKeyUse = environmentKeyUse;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    HttpServletRequest http = (HttpServletRequest) request;
    try {
      Caller caller = callerOf(http);
      if (caller != null) {
        SecurityContextHolder.setContext(
            new SecurityContextImpl(new CallerAuthentication(caller, OpenSession.of(http))));
        environmentKeyUse.note(caller, http);
      }
    } catch (FlowException refused) {
      request.setAttribute(REFUSAL, refused);
    }
    chain.doFilter(request, response);
  }

  private Caller callerOf(HttpServletRequest request) {
    String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (authorization != null) {
      String token = tokenOf(authorization);
      return callers.find(
          token, token == null ? List::of : () -> ClientCertificate.namesIn(request));
    }
    Caller everybody = callers.find(null, List::of);
    if (everybody != null || HealthRoute.isOf(request)) {
      return everybody;
    }
    Caller caller = sessions.enter(request);
    return caller == null ? callerByCertificate(request) : caller;
  }

  /** A browser shows its user's certificate to every server, whatever page sends the request. */
  private Caller callerByCertificate(HttpServletRequest request) {
    Caller caller = callers.find(null, () -> ClientCertificate.namesIn(request));
    if (caller != null && RequestSite.isForeign(request)) {
      throw new FlowException(
          ErrorCode.CROSS_SITE,
          "a web page of another site sent this: with a certificate alone, tools may call");
    }
    return caller;
  }

  /** Why a proven caller was refused; {@code null} if none was proven. */
  static FlowException refusalOf(HttpServletRequest request) {
    return (FlowException) request.getAttribute(REFUSAL);
  }

  /** {@code null} if the header has another scheme. */
  private static String tokenOf(String header) {
    return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? header.substring(SCHEME.length()).strip()
        : null;
  }
}
