package io.asyncflow.api.find;

/** The order of what a search finds. */
public enum SearchOrder {
  /** By the time of creation, the latest first. */
  NEWEST,
  /** By the due time, the first first. */
  DUE,
  /** By the due time, the last first. */
  LATEST_DUE
}
