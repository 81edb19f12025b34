package io.asyncflow.flowsvr.edge.access;

import java.util.Set;

/** Callers for tests. */
public final class TestCallers {

  /** May do everything. */
  public static final Caller ADMIN = of(Role.ADMIN, Scope.ALL);

  private TestCallers() {}

  public static Caller of(Role role, Scope scope) {
    return new Caller(Caller.Kind.KEY, "key:" + role, Set.of(role), scope);
  }
}
