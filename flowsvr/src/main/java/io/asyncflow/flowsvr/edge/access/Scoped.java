package io.asyncflow.flowsvr.edge.access;

import java.util.Collection;
import java.util.List;

/**
 * What is within the scope of a caller or beyond it.
 *
 * @param types all must be in the scope
 * @param user in whose name it is
 */
public record Scoped(Collection<String> types, String user) {

  private static final String ALL = "*";

  /** What concerns all types and users. */
  public static final Scoped EVERYTHING = of(ALL, ALL);

  public static Scoped of(String user, String... types) {
    return new Scoped(List.of(types), user);
  }

  /**
   * What concerns these types, and the tasks of all users.
   *
   * @param types empty for all
   */
  public static Scoped ofAllUsers(Collection<String> types) {
    return types.isEmpty() ? EVERYTHING : new Scoped(types, ALL);
  }
}
