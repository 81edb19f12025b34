package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;

/**
 * An event, published after the commit: keys were made or ended.
 *
 * @param isFromAfar whether another server has done it
 */
public record AccessKeysChanged(boolean isFromAfar) implements ClusterEvent {

  /** A change on this server. */
  public static final AccessKeysChanged HERE = new AccessKeysChanged(false);
}
