package io.asyncflow.flowsvr.access.chain;

import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Callers;
import io.asyncflow.flowsvr.access.session.Sessions;
import io.asyncflow.flowsvr.web.filter.HealthRoute;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.filter.GenericFilterBean;

/**
 * Finds the caller of a request: by its bearer token, or if it has no {@code Authorization} by the
 * cookie of its session. Refuses nothing: routes that are open need no caller, and {@link Routes}
 * sees to all others.
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
        SecurityContextHolder.setContext(new SecurityContextImpl(new CallerAuthentication(caller)));
        environmentKeyUse.note(caller, http);
      }
    } catch (FlowException refused) {
      request.setAttribute(REFUSAL, refused);
    }
    chain.doFilter(request, response);
  }

  private Caller callerOf(HttpServletRequest request) {
    String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    Caller caller = callers.find(tokenOf(authorization));
    return caller == null && authorization == null && !HealthRoute.isOf(request)
        ? sessions.enter(request)
        : caller;
  }

  /** Why the token of the request was refused; {@code null} if it is simply none that is known. */
  static FlowException refusalOf(HttpServletRequest request) {
    return (FlowException) request.getAttribute(REFUSAL);
  }

  private static String tokenOf(String header) {
    return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? header.substring(SCHEME.length()).strip()
        : null;
  }
}
