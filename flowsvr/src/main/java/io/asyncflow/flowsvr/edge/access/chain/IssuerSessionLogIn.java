package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.console.IssuerLogIn;
import io.asyncflow.flowsvr.edge.access.login.IssuerLogIns;
import io.asyncflow.flowsvr.edge.access.login.IssuerLogIns.Begun;
import io.asyncflow.flowsvr.edge.access.login.IssuerLogIns.Finished;
import io.asyncflow.flowsvr.edge.access.refusal.Refusal;
import io.asyncflow.flowsvr.edge.access.refusal.RefusedRequests;
import io.asyncflow.flowsvr.edge.access.session.HostCookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.stereotype.Component;

/** Begins sessions of people who log in at the issuer. */
@Component
@ConditionalOnExpression(IssuerLogIns.IS_SET)
class IssuerSessionLogIn implements IssuerLogIn {

  private final IssuerLogIns logIns;
  private final SessionLogIn sessions;
  private final HostCookie pending;
  private final RefusedRequests refused;

  IssuerSessionLogIn(
      IssuerLogIns logIns,
      SessionLogIn sessions,
      RefusedRequests refused,
      @Value("${flow.tls.mode:}") String tls) {
    this.logIns = logIns;
    this.sessions = sessions;
    this.pending = new HostCookie("asyncflow-login", tls);
    this.refused = refused;
  }

  @Override
  public URI begin(String to, HttpServletRequest request, HttpServletResponse response) {
    SessionLogIn.refuseForeign(request);
    pending.requireSafe(request);
    Begun begun = logIns.begin(to, request.getRemoteAddr());
    pending.set(request, response, begun.kept(), IssuerLogIns.LONGEST);
    return begun.address();
  }

  /** The issuer's site sends the browser, so only what the browser has kept tells whose it is. */
  @Override
  public String finish(HttpServletRequest request, HttpServletResponse response)
      throws RefusedException {
    pending.requireSafe(request);
    Optional<String> kept = pending.read(request).findFirst();
    try {
      Finished finished = logIns.finish(fieldsOf(request), kept, request.getRemoteAddr());
      pending.clear(request, response);
      sessions.begin(finished.caller(), finished.endsAt(), request, response);
      return finished.to();
    } catch (RefusedException e) {
      if (e.reason() != Reason.STALE) { // that was not the answer to this log-in
        pending.clear(request, response);
      }
      refused.count(request.getRemoteAddr(), Refusal.NO_KEY);
      throw e;
    }
  }

  private static Map<String, List<String>> fieldsOf(HttpServletRequest request) {
    return request.getParameterMap().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, field -> Arrays.asList(field.getValue())));
  }
}
