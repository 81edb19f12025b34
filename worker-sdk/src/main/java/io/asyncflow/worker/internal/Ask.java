package io.asyncflow.worker.internal;

import java.util.List;

/**
 * What a hold may ask for.
 *
 * @param stages only these
 * @param limit at most so many tasks; 0 if there is nothing to ask for
 */
record Ask(List<String> stages, int limit) {

  static final Ask NOTHING = new Ask(List.of(), 0);

  static Ask of(List<String> stages, int limit) {
    return stages.isEmpty() || limit <= 0 ? NOTHING : new Ask(stages, limit);
  }

  boolean isNothing() {
    return limit == 0;
  }
}
