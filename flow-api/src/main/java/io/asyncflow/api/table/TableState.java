package io.asyncflow.api.table;

/** The life of a table of tasks, in order. */
public enum TableState {
  /** New tasks go to it. */
  OPEN,
  /** It takes no new tasks, and may have unfinished ones. */
  FULL,
  /** All its tasks are final, and can be read. */
  DRAINED,
  /** It is not read any more, and is dropped soon. */
  DROPPING
}
