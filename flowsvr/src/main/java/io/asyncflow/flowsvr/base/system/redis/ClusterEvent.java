package io.asyncflow.flowsvr.base.system.redis;

import java.util.Optional;
import java.util.function.Function;

/** An event of which {@link ClusterEvents} notifies the other servers. */
public interface ClusterEvent {

  /** Whether it happened on another server. */
  boolean isFromAfar();

  /** A line that says all of it. Events with the same line are merged while they wait. */
  default String line() {
    return "changed";
  }

  /**
   * A kind of such events. A feature contributes its kinds as beans.
   *
   * @param name names the channel in Redis
   * @param fromAfar the event that is published for a line of another server, which may be of any
   *     version or malformed
   */
  record Kind(
      String name,
      Class<? extends ClusterEvent> type,
      Function<String, Optional<? extends ClusterEvent>> fromAfar) {

    /** A kind of events that have no contents. */
    public Kind(String name, ClusterEvent fromAfar) {
      this(name, fromAfar.getClass(), line -> Optional.of(fromAfar));
    }
  }
}
