package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.LogIn;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Callers;
import io.asyncflow.flowsvr.edge.access.refusal.Refusal;
import io.asyncflow.flowsvr.edge.access.refusal.RefusedRequests;
import io.asyncflow.flowsvr.edge.access.session.Sessions;
import io.asyncflow.flowsvr.edge.access.site.RequestSite;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.stereotype.Component;

/** Begins and ends sessions for the console's page to log in, as {@code /api/session} does. */
@Component
class SessionLogIn implements LogIn {

  private final Callers callers;
  private final Sessions sessions;
  private final RefusedRequests refused;

  SessionLogIn(Callers callers, Sessions sessions, RefusedRequests refused) {
    this.callers = callers;
    this.sessions = sessions;
    this.refused = refused;
  }

  /** The form has no token of a session yet, so pages of other sites are told by their headers. */
  @Override
  public void begin(String key, HttpServletRequest request, HttpServletResponse response) {
    refuseForeign(request);
    sessions.requireSafe(request);
    begin(callerOf(key, request), Sessions.NO_LATEST_END, request, response);
  }

  static void refuseForeign(HttpServletRequest request) {
    if (RequestSite.isForeign(request)) {
      throw new FlowException(ErrorCode.CROSS_SITE, "a web page of another site sent this");
    }
  }

  /** Begins a session of a caller that has just proven itself, in place of the browser's before. */
  void begin(
      Caller caller, long latestEnd, HttpServletRequest request, HttpServletResponse response) {
    sessions.end(request);
    SecurityContextHolder.setContext(new SecurityContextImpl(new CallerAuthentication(caller)));
    sessions.begin(caller, latestEnd, request, response);
  }

  /** Keys that need a certificate begin no session. */
  private Caller callerOf(String key, HttpServletRequest request) {
    Caller caller;
    try {
      caller = callers.find(key, List::of);
    } catch (FlowException ended) {
      if (!ended.retryable()) {
        count(request, Refusal.KEY_ENDED);
      }
      throw ended;
    }
    if (caller == null) {
      count(request, Refusal.NO_KEY);
      throw new FlowException(ErrorCode.NOT_AUTHENTICATED, "no valid key");
    }
    return caller;
  }

  /**
   * @throws FlowException if there were too many tries from this address
   */
  private void count(HttpServletRequest request, Refusal refusal) {
    if (!refused.countTry(request.getRemoteAddr(), refusal).isZero()) {
      throw new FlowException(ErrorCode.LIMIT_EXCEEDED, "too many tries from your address");
    }
  }

  @Override
  public void end(HttpServletRequest request, HttpServletResponse response) {
    sessions.end(request, response);
  }
}
