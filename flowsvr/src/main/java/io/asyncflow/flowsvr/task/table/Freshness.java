package io.asyncflow.flowsvr.task.table;

/** How old an answer about the tables of a type may be. */
public enum Freshness {
  /**
   * The last answer, however old it is; it takes no connection. For a caller that finds out by
   * itself that the tables have changed.
   */
  KNOWN,

  /** At most a second old. That there is no table is never an old answer. */
  RECENT,

  /** With every table that any server made before the call. */
  NOW
}
