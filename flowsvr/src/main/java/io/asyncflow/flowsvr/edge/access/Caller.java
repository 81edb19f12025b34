package io.asyncflow.flowsvr.edge.access;

import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Whom a request is from, as far as it was proven, and what it may do. Made once for each key, and
 * not for each request. Immutable, but for the requests that its rate counts.
 */
public final class Caller {

  /** The principal of the key in the server's environment. */
  public static final String ENVIRONMENT = "env:FLOW_API_KEY";

  /** The principal of everybody who reaches a server that listens on loopback alone. */
  public static final String EVERYBODY = "local";

  /** How a caller proved itself. */
  public enum Kind {
    /** By reaching a server that listens on loopback alone. */
    LOCAL,
    /** By the key in the server's environment. */
    ENV,
    /** By a key that the server made. */
    KEY,
    /** By a token of an issuer that the server trusts. */
    OIDC,
    /** By the cookie of a session, which began with one of the three above. */
    SESSION
  }

  private final Kind kind;
  private final String principal;
  private final Set<Role> roles;
  private final Set<Verb> verbs;
  private final Scope scope;
  private final boolean isScoped;
  private final Names workers;
  private final RequestRate rate;
  private final Long endNanos;

  /**
   * @param principal names the caller in logs and records: {@code local}, {@code env:FLOW_API_KEY},
   *     {@code key:3Qm81LtzGh}; never a secret
   */
  public Caller(Kind kind, String principal, Set<Role> roles, Scope scope) {
    this(kind, principal, roles, scope, null);
  }

  /**
   * @param rate what it may ask for a second; {@code null} for no limit
   */
  public Caller(Kind kind, String principal, Set<Role> roles, Scope scope, RequestRate rate) {
    this(kind, principal, roles, scope, rate, null);
  }

  /** A caller that may do everything. */
  public static Caller unlimited(Kind kind, String principal) {
    return new Caller(kind, principal, Set.of(Role.ADMIN), Scope.ALL);
  }

  private Caller(
      Kind kind, String principal, Set<Role> roles, Scope scope, RequestRate rate, Long endNanos) {
    this.kind = kind;
    this.principal = principal;
    Set<Role> given = EnumSet.noneOf(Role.class);
    given.addAll(roles);
    this.roles = Collections.unmodifiableSet(given);
    Set<Verb> granted = EnumSet.noneOf(Verb.class);
    given.forEach(role -> granted.addAll(role.verbs()));
    this.verbs = Collections.unmodifiableSet(granted);
    this.scope = scope;
    this.isScoped = !scope.isAll();
    this.workers = scope.workers();
    this.rate = rate;
    this.endNanos = endNanos;
  }

  /** The same caller, proven by a session that it has begun. */
  public Caller inSession() {
    return new Caller(Kind.SESSION, principal, roles, scope, rate);
  }

  /**
   * The same caller, proven for so long.
   *
   * @param nanos a moment of this server's monotonic clock
   */
  public Caller until(long nanos) {
    return new Caller(kind, principal, roles, scope, rate, nanos);
  }

  public Kind kind() {
    return kind;
  }

  public String principal() {
    return principal;
  }

  public Set<Role> roles() {
    return roles;
  }

  public Set<Verb> verbs() {
    return verbs;
  }

  public Scope scope() {
    return scope;
  }

  /** What the caller may ask for a second; {@code null} for no limit. */
  public RequestRate rate() {
    return rate;
  }

  /**
   * When the token or the session that has proven the caller ends, on this server's monotonic
   * clock; {@code null} for other callers.
   */
  public Long endNanos() {
    return endNanos;
  }

  /** How the principals of an issuer's subjects begin. */
  public static String ofIssuer(String issuer) {
    return "oidc:" + issuer.strip() + "#";
  }

  /** Whether some objects lie outside of the caller's scope. */
  public boolean isScoped() {
    return isScoped;
  }

  public boolean may(Verb verb) {
    return verbs.contains(verb);
  }

  /** Whether the caller has one of the verbs, or there are none. */
  public boolean mayOneOf(List<Verb> verbs) {
    for (Verb verb : verbs) {
      if (may(verb)) {
        return true;
      }
    }
    return verbs.isEmpty();
  }

  /**
   * @throws MissingVerbException if the caller may not
   */
  public void require(Verb verb) {
    if (!may(verb)) {
      throw new MissingVerbException(verb);
    }
  }

  public boolean seesType(String type) {
    return !isScoped || scope.types().contains(type);
  }

  public boolean seesUser(String user) {
    return !isScoped || scope.users().contains(user);
  }

  /** Whether the caller sees what belongs to this type and this user. */
  public boolean sees(String type, String user) {
    return !isScoped || scope.types().contains(type) && scope.users().contains(user);
  }

  /** Whether all of it is within the caller's scope. */
  public boolean sees(Scoped thing) {
    return !isScoped || seesUser(thing.user()) && thing.types().stream().allMatch(this::seesType);
  }

  /** Whether the caller sees the tasks of all users, so that their owners need not be known. */
  public boolean seesAllUsers() {
    return scope.users().isAll();
  }

  /** The workers that the caller sees and steers. */
  public Names workers() {
    return workers;
  }

  /** The stages whose tasks the caller may report on. */
  public Names stages() {
    return scope.stages();
  }

  /**
   * What the caller may see of something.
   *
   * @param withoutContents takes away what only callers with CONTEXT_READ see
   */
  public <T> T shown(T whole, UnaryOperator<T> withoutContents) {
    return may(Verb.CONTEXT_READ) ? whole : withoutContents.apply(whole);
  }

  /** As {@link #shown(Object, UnaryOperator)}, of each. */
  public <T> List<T> allShown(List<T> whole, UnaryOperator<T> withoutContents) {
    return may(Verb.CONTEXT_READ) ? whole : whole.stream().map(withoutContents).toList();
  }

  /**
   * For calls that show or steer something of all types and users.
   *
   * @throws OutOfScopeException unless the caller sees them all
   */
  public void requireAll() {
    require(Scoped.EVERYTHING);
  }

  /**
   * @throws OutOfScopeException unless all of it is within the caller's scope
   */
  public void require(Scoped thing) {
    thing.types().forEach(this::requireType);
    requireUser(thing.user());
  }

  /**
   * For calls that steer a type with the tasks of all users.
   *
   * @throws OutOfScopeException unless the caller sees all users
   */
  public void requireAllUsers() {
    requireUser("*");
  }

  /**
   * @throws OutOfScopeException unless the caller's scope has the type
   */
  public void requireType(String type) {
    if (!seesType(type)) {
      throw new OutOfScopeException("type", type);
    }
  }

  /**
   * @throws OutOfScopeException unless the caller's scope has the user
   */
  public void requireUser(String user) {
    if (!seesUser(user)) {
      throw new OutOfScopeException("user", user);
    }
  }

  /**
   * @throws OutOfScopeException unless the caller's scope has the stage
   */
  public void requireStage(String stage) {
    if (isScoped && !scope.stages().contains(stage)) {
      throw new OutOfScopeException("stage", stage);
    }
  }

  /**
   * @throws OutOfScopeException unless the caller sees and steers the worker
   */
  public void requireSeenWorker(String workerId) {
    if (!seesWorker(workerId)) {
      throw new OutOfScopeException("worker", workerId);
    }
  }

  /** Whether the caller sees and steers the worker. */
  public boolean seesWorker(String workerId) {
    return workers.contains(workerId);
  }

  /**
   * For a caller that works under this id.
   *
   * @throws OutOfScopeException unless the id begins as the caller's do
   */
  public void requireWorker(String workerId) {
    if (isScoped && !workerId.startsWith(scope.workerPrefix())) {
      throw new OutOfScopeException("worker", workerId);
    }
  }

  /**
   * The stages of which a hold gets tasks.
   *
   * @param asked the stages that it names; empty for all
   * @return the ones that the caller's scope has; empty for all
   * @throws OutOfScopeException if it has none of them
   */
  public Set<String> holdStages(Set<String> asked) {
    if (!isScoped || scope.stages().isAll()) {
      return asked;
    }
    if (asked.isEmpty()) {
      return scope.stages().listed();
    }
    Set<String> granted =
        asked.stream().filter(scope.stages()::contains).collect(Collectors.toUnmodifiableSet());
    if (granted.isEmpty()) {
      throw new OutOfScopeException("stage", String.join(", ", asked));
    }
    return granted;
  }

  @Override
  public String toString() {
    return principal;
  }
}
