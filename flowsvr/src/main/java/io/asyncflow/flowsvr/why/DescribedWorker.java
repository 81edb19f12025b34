package io.asyncflow.flowsvr.why;

import io.asyncflow.flowsvr.why.WorkerDescriptions.Description;

/**
 * A worker as it last described itself.
 *
 * @param isLost whether it has been silent for half a minute
 * @param isDraining whether it was told to leave
 */
record DescribedWorker(
    String id, Description says, long beatTime, boolean isLost, boolean isDraining) {

  boolean isAlive() {
    return !isLost && !isDraining;
  }

  boolean hasFreeThreads(String type) {
    return says.freeThreads().getOrDefault(type, 1) > 0;
  }

  /** Whether none of its slots is free, and some are out of use. */
  boolean isQuarantined() {
    return !says.quarantined().isEmpty()
        && !says.freeSlots().isEmpty()
        && says.freeSlots().values().stream().allMatch(free -> free <= 0);
  }
}
