package io.asyncflow.flowsvr.edge.access.session;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.CallerRefresh;
import io.asyncflow.rules.access.KeySeals;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The callers that logged in, as long as what they logged in with is good. Thread-safe. */
@Component
class SessionCallers {

  private final CallerRefresh callers;
  private final KeySeals peppers;
  private final String environmentKey;

  SessionCallers(
      CallerRefresh callers,
      KeySeals peppers,
      @Value("${flow.access.api-key:}") String environmentKey) {
    this.callers = callers;
    this.peppers = peppers;
    this.environmentKey = environmentKey.strip();
  }

  /**
   * What sessions of a caller cannot ask anybody for later; {@code null} where there is nothing.
   */
  String granted(Caller caller) {
    return callers.granted(caller);
  }

  /** The seal of a row of a session. */
  byte[] seal(SessionRow row, SessionId id) {
    return seals(row.principal()).seal(row.sealed(id));
  }

  /** With another {@code FLOW_API_KEY}, sessions of the one before end. */
  private KeySeals seals(String principal) {
    return principal.equals(Caller.ENVIRONMENT) ? KeySeals.under(environmentKey) : peppers;
  }

  /**
   * Whether sessions of a caller count now; not those of a key that needs a certificate, as whoever
   * had the cookie could do without. Needs no statement.
   */
  boolean isLive(String principal) {
    return callers.isLive(principal) && !needsCertificate(principal);
  }

  /** Whether the caller is a key that counts only with the certificate of its client. */
  boolean needsCertificate(String principal) {
    return callers.needsCertificate(principal);
  }

  /**
   * The caller of a session; empty if its row is not what a server has written, or what it logged
   * in with has ended.
   */
  Optional<Caller> find(SessionRow row, SessionId id, byte[] seal) {
    return callers
        .find(row.principal(), row.granted())
        .filter(caller -> isLive(row.principal()))
        .filter(caller -> seals(row.principal()).isGood(row.sealed(id), seal))
        .map(Caller::inSession);
  }
}
