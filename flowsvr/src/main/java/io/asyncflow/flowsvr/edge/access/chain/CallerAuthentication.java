package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.session.OpenSession;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * A caller, in the form in which Spring Security keeps it for the thread. Verbs take the place of
 * authorities.
 *
 * @param proof the session by whose cookie the caller is proven; {@code null} if it is by none
 */
record CallerAuthentication(Caller caller, OpenSession proof)
    implements Authentication, OpenCalls.OfSession {

  private static final Set<String> ALL_IN_ONE = Set.of(Caller.EVERYBODY, Caller.ENVIRONMENT);

  CallerAuthentication(Caller caller) {
    this(caller, null);
  }

  /**
   * The caller in whose name this thread works.
   *
   * @throws AuthenticationCredentialsNotFoundException if there is none
   */
  static Caller current() {
    return callerOf(SecurityContextHolder.getContext()::getAuthentication);
  }

  /**
   * @throws AuthenticationCredentialsNotFoundException if there is none
   */
  static Caller callerOf(Supplier<? extends Authentication> authentication) {
    if (authentication.get() instanceof CallerAuthentication known) {
      return known.caller;
    }
    throw new AuthenticationCredentialsNotFoundException("no caller");
  }

  @Override
  public String session() {
    return proof == null ? null : proof.name();
  }

  @Override
  public Object getPrincipal() {
    return caller;
  }

  @Override
  public String getName() {
    return caller.principal();
  }

  @Override
  public Collection<? extends GrantedAuthority> getAuthorities() {
    return List.of();
  }

  /**
   * What the open calls of a caller are counted under: the principal of an access key, or of a
   * subject of the issuer. {@code null} where workers and applications may all be the same caller.
   */
  @Override
  public Object getCredentials() {
    return ALL_IN_ONE.contains(caller.principal()) ? null : caller.principal();
  }

  /** When what has proven the caller ends: {@link Caller#endNanos}. */
  @Override
  public Object getDetails() {
    return caller.endNanos();
  }

  @Override
  public boolean isAuthenticated() {
    return true;
  }

  @Override
  public void setAuthenticated(boolean isAuthenticated) {
    throw new IllegalArgumentException("a caller is proven");
  }
}
