package io.asyncflow.flowsvr.operate.why;

/** A worker as it last described itself. */
record DescribedWorker(String id, Description says, State state) {

  enum State {
    ALIVE,
    /** It was told to leave. */
    DRAINING,
    /** It has been silent for half a minute. */
    LOST,
    /** It said so. */
    STOPPED
  }

  boolean isAlive() {
    return state == State.ALIVE;
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
