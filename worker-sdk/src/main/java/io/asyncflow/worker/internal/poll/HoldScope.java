package io.asyncflow.worker.internal.poll;

import java.util.ArrayList;
import java.util.List;

/**
 * The stages and the number of tasks that a hold asks for.
 *
 * @param stages the stages to ask for
 * @param limit the maximum number of tasks; 0 if there is nothing to ask for
 * @param deferred the stages among them that other workers should take first, because their model
 *     is not loaded here
 */
record HoldScope(List<String> stages, int limit, List<String> deferred) {

  static final HoldScope EMPTY = new HoldScope(List.of(), 0, List.of());

  static HoldScope of(List<String> stages, int limit, List<String> deferred) {
    return stages.isEmpty() || limit <= 0
        ? EMPTY
        : new HoldScope(List.copyOf(stages), limit, List.copyOf(deferred));
  }

  boolean isEmpty() {
    return limit == 0;
  }

  boolean defers() {
    return !deferred.isEmpty();
  }

  /** The stages that are not deferred. */
  List<String> preferred() {
    List<String> preferred = new ArrayList<>(stages);
    preferred.removeAll(deferred);
    return preferred;
  }
}
