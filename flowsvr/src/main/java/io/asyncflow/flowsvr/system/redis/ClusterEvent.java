package io.asyncflow.flowsvr.system.redis;

/** An event without contents, of which {@link ClusterEvents} notifies the other servers. */
public interface ClusterEvent {

  /** Whether it happened on another server. */
  boolean isFromAfar();

  /**
   * A kind of such events. A feature contributes its kinds as beans.
   *
   * @param name names the channel in Redis
   * @param fromAfar is published when it has happened on another server
   */
  record Kind(String name, ClusterEvent fromAfar) {}
}
