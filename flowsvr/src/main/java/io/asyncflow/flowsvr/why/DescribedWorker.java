package io.asyncflow.flowsvr.why;

import java.util.Map;
import java.util.Set;

/**
 * A worker as it last described itself.
 *
 * @param stages {@code type/stage}, the type in lower case
 * @param version of its program; 0 if it has none
 * @param freeThreads by type
 * @param freeSlots by device
 * @param quarantined slots out of use; empty for none
 * @param stuck handlers that heed no interrupt
 * @param isLost whether it has been silent for half a minute
 * @param isDraining whether it was told to leave
 */
record DescribedWorker(
    String id,
    Set<String> stages,
    int version,
    Map<String, Integer> freeThreads,
    Map<String, Integer> freeSlots,
    String quarantined,
    int stuck,
    long beatTime,
    boolean isLost,
    boolean isDraining) {

  boolean isAlive() {
    return !isLost && !isDraining;
  }

  boolean hasFreeThreads(String type) {
    return freeThreads.getOrDefault(type, 1) > 0;
  }

  /** Whether none of its slots is free, and some are out of use. */
  boolean isQuarantined() {
    return !quarantined.isEmpty()
        && !freeSlots.isEmpty()
        && freeSlots.values().stream().allMatch(free -> free <= 0);
  }
}
