package io.asyncflow.flowsvr.access.session;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.Scope;
import io.asyncflow.flowsvr.access.key.KeyGrant;
import io.asyncflow.flowsvr.access.key.KnownKeys;
import io.asyncflow.rules.access.KeySeals;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;

/** The callers that logged in, as long as what they logged in with is good. Thread-safe. */
@Component
class SessionCallers {

  private final KnownKeys keys;
  private final KeySeals peppers;
  private final String environmentKey;
  private final String ofIssuer;

  SessionCallers(
      ObjectProvider<KnownKeys> keys,
      KeySeals peppers,
      @Value("${flow.access.api-key:}") String environmentKey,
      @Value("${flow.oidc.issuer:}") String issuer) {
    this.keys = keys.getIfAvailable();
    this.peppers = peppers;
    this.environmentKey = environmentKey.strip();
    this.ofIssuer = Caller.ofIssuer(issuer);
  }

  /**
   * What sessions of a caller cannot ask anybody for later; {@code null} where there is nothing.
   */
  String granted(Caller caller) {
    return caller.kind() == Caller.Kind.OIDC ? KeyGrant.of(caller).json() : null;
  }

  /** The seal of a row of a session. */
  byte[] seal(SessionRow row, SessionId id) {
    return seals(row.principal()).seal(row.sealed(id));
  }

  /** With another {@code FLOW_API_KEY}, sessions of the one before end. */
  private KeySeals seals(String principal) {
    return principal.equals(Caller.ENVIRONMENT) ? KeySeals.under(environmentKey) : peppers;
  }

  /** Whether sessions of a caller count now. Needs no statement. */
  boolean isLive(String principal) {
    if (principal.equals(Caller.ENVIRONMENT)) {
      return !environmentKey.isEmpty();
    }
    return KeyGrant.isOfKey(principal)
        ? ofKey(principal).isPresent()
        : keys != null && principal.startsWith(ofIssuer) && !keys.isDenied(principal);
  }

  /** Whether the caller is a key that counts only with the certificate of its client. */
  boolean needsCertificate(String principal) {
    return keys != null
        && KeyGrant.isOfKey(principal)
        && keys.needsCertificate(KeyGrant.keyIdOf(principal));
  }

  /**
   * The caller of a session; empty if its row is not what a server has written, or what it logged
   * in with has ended.
   */
  Optional<Caller> find(SessionRow row, SessionId id, byte[] seal) {
    String principal = row.principal();
    Optional<Caller> caller =
        KeyGrant.isOfKey(principal)
            ? ofKey(principal).map(Caller::inSession)
            : Optional.of(row).filter(any -> isLive(principal)).flatMap(SessionCallers::withoutKey);
    return caller.filter(any -> seals(principal).isGood(row.sealed(id), seal));
  }

  private Optional<Caller> ofKey(String principal) {
    return keys == null ? Optional.empty() : keys.live(KeyGrant.keyIdOf(principal));
  }

  private static Optional<Caller> withoutKey(SessionRow row) {
    return row.principal().equals(Caller.ENVIRONMENT)
        ? Optional.of(
            new Caller(Caller.Kind.SESSION, row.principal(), Set.of(Role.ADMIN), Scope.ALL))
        : ofToken(row);
  }

  private static Optional<Caller> ofToken(SessionRow row) {
    try {
      KeyGrant grant = KeyGrant.ofJson(row.granted());
      return Optional.of(
          new Caller(Caller.Kind.SESSION, row.principal(), grant.roles(), grant.scope()));
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty(); // written by another version
    }
  }
}
