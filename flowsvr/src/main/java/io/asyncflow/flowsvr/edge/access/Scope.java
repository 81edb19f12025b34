package io.asyncflow.flowsvr.edge.access;

/**
 * The part of the server on which a caller's verbs act.
 *
 * @param types the task types, in lower case
 * @param stages the stages whose tasks the caller may hold; none with a star but {@link Names#ALL},
 *     because a hold lists its stages
 * @param users the users in whose name the caller creates, and whose tasks and jobs it sees
 * @param workerPrefix how the worker ids of the caller begin; empty for any
 */
public record Scope(Names types, Names stages, Names users, String workerPrefix) {

  /** Everything. */
  public static final Scope ALL = new Scope(Names.ALL, Names.ALL, Names.ALL, "");

  public Scope {
    if (!stages.isAll() && !stages.prefixes().isEmpty()) {
      throw new IllegalArgumentException("stages must be listed in full: " + stages.prefixes());
    }
  }

  /**
   * The workers that the caller sees and steers. As a worker says itself which stages it serves, a
   * scope of some types has no workers but those of its prefix.
   */
  Names workers() {
    if (!workerPrefix.isEmpty()) {
      return Names.beginningWith(workerPrefix);
    }
    return types.isAll() ? Names.ALL : Names.none();
  }

  public boolean isAll() {
    return types.isAll() && stages.isAll() && users.isAll() && workerPrefix.isEmpty();
  }

  /** Whether a caller with this scope may give the other one away. */
  public boolean covers(Scope other) {
    return types.cover(other.types)
        && stages.cover(other.stages)
        && users.cover(other.users)
        && other.workerPrefix.startsWith(workerPrefix)
        && workers().cover(other.workers());
  }
}
