package io.asyncflow.worker.internal.poll;

import java.util.ArrayList;
import java.util.List;

/**
 * What a hold may ask for.
 *
 * @param stages only these
 * @param limit at most so many tasks; 0 if there is nothing to ask for
 * @param deferred those of the stages that are left to others for a while, because their model is
 *     not loaded here
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

  /** The stages that are not left to others. */
  List<String> preferred() {
    List<String> preferred = new ArrayList<>(stages);
    preferred.removeAll(deferred);
    return preferred;
  }
}
