package io.asyncflow.dev.embedded;

/** What a database promises about a commit. */
public enum Durability {
  /** A commit survives a power failure: for people's data. */
  DURABLE,
  /** A commit survives the end of the database process only; several times faster, for tests. */
  RELAXED
}
