package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.flowsvr.edge.access.Caller;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;

/**
 * The callers of earlier requests, as they are now, for work that goes on in their names. Any
 * server knows the callers of all. Thread-safe.
 */
@Component
public class CallerRefresh {

  private final KnownKeys keys;
  private final boolean isLocal;
  private final boolean hasEnvironmentKey;
  private final String ofIssuer;

  public CallerRefresh(
      ObjectProvider<KnownKeys> keys,
      @Value("${flow.access.mode:}") String mode,
      @Value("${flow.access.api-key:}") String environmentKey,
      @Value("${flow.oidc.issuer:}") String issuer) {
    this.keys = keys.getIfAvailable();
    this.hasEnvironmentKey = !environmentKey.isBlank();
    this.ofIssuer = Caller.ofIssuer(issuer);
    this.isLocal = mode.equalsIgnoreCase("local") || mode.isBlank() && !hasEnvironmentKey;
  }

  /** What nobody can be asked for later; {@code null} where there is nothing. */
  public String granted(Caller caller) {
    boolean isKnown =
        caller.principal().equals(Caller.EVERYBODY)
            || caller.principal().equals(Caller.ENVIRONMENT)
            || KeyGrant.isOfKey(caller.principal());
    return isKnown ? null : KeyGrant.of(caller).json();
  }

  /** Whether a caller with this name may still do something. Needs no statement. */
  public boolean isLive(String principal) {
    if (principal.equals(Caller.EVERYBODY)) {
      return isLocal;
    }
    if (principal.equals(Caller.ENVIRONMENT)) {
      return hasEnvironmentKey;
    }
    if (KeyGrant.isOfKey(principal)) {
      return ofKey(principal).isPresent();
    }
    return keys != null && principal.startsWith(ofIssuer) && !keys.isDenied(principal);
  }

  /** Whether the caller is a key that counts only with the certificate of its client. */
  public boolean needsCertificate(String principal) {
    return keys != null
        && KeyGrant.isOfKey(principal)
        && keys.needsCertificate(KeyGrant.keyIdOf(principal));
  }

  /**
   * The caller with this name; empty if it may do nothing any more.
   *
   * @param granted as {@link #granted} said
   */
  public Optional<Caller> find(String principal, String granted) {
    if (KeyGrant.isOfKey(principal)) {
      return ofKey(principal);
    }
    if (!isLive(principal)) {
      return Optional.empty();
    }
    return switch (principal) {
      case Caller.EVERYBODY -> Optional.of(Caller.unlimited(Caller.Kind.LOCAL, principal));
      case Caller.ENVIRONMENT -> Optional.of(Caller.unlimited(Caller.Kind.ENV, principal));
      default -> granted == null ? Optional.empty() : ofToken(principal, granted);
    };
  }

  private Optional<Caller> ofKey(String principal) {
    return keys == null ? Optional.empty() : keys.live(KeyGrant.keyIdOf(principal));
  }

  private static Optional<Caller> ofToken(String principal, String granted) {
    try {
      KeyGrant grant = KeyGrant.ofJson(granted);
      return Optional.of(new Caller(Caller.Kind.OIDC, principal, grant.roles(), grant.scope()));
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty(); // written by another version
    }
  }
}
