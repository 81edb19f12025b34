package io.asyncflow.dev.embedded;

/** The durability of commits. */
public enum Durability {
  /** A commit survives a power failure: for people's data. */
  DURABLE,
  /** A commit survives the end of the database process only; several times faster, for tests. */
  RELAXED
}
