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

  private static final String ENVIRONMENT = "env:FLOW_API_KEY";

  private final ObjectProvider<KnownKeys> keys;
  private final KeySeals peppers;
  private final String environmentKey;

  SessionCallers(
      ObjectProvider<KnownKeys> keys,
      KeySeals peppers,
      @Value("${flow.access.api-key:}") String environmentKey) {
    this.keys = keys;
    this.peppers = peppers;
    this.environmentKey = environmentKey.strip();
  }

  /** What its sessions cannot ask anybody for later; {@code null} where there is nothing. */
  String granted(Caller caller) {
    return caller.kind() == Caller.Kind.OIDC ? KeyGrant.of(caller).json() : null;
  }

  /** The caller of a session; empty if its key, or its subject, has ended. */
  Optional<Caller> find(SessionRow row) {
    String principal = row.principal();
    if (row.granted() != null) {
      return ofToken(row);
    }
    if (KeyGrant.isOfKey(principal)) {
      KnownKeys known = keys.getIfAvailable();
      return known == null ? Optional.empty() : known.live(KeyGrant.keyIdOf(principal));
    }
    return principal.equals(ENVIRONMENT) && !environmentKey.isEmpty()
        ? Optional.of(new Caller(Caller.Kind.ENV, principal, Set.of(Role.ADMIN), Scope.ALL))
        : Optional.empty();
  }

  private Optional<Caller> ofToken(SessionRow row) {
    KnownKeys known = keys.getIfAvailable();
    if (known == null
        || known.isDenied(row.principal())) { // its row is deleted, but may be remembered
      return Optional.empty();
    }
    try {
      KeyGrant grant = KeyGrant.ofJson(row.granted());
      return Optional.of(
          new Caller(Caller.Kind.OIDC, row.principal(), grant.roles(), grant.scope()));
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty(); // of a newer version
    }
  }

  /** The seals of a caller's sessions: with another FLOW_API_KEY, those of the old one end. */
  KeySeals sealsOf(String principal) {
    return principal.equals(ENVIRONMENT) ? KeySeals.under(environmentKey) : peppers;
  }
}
