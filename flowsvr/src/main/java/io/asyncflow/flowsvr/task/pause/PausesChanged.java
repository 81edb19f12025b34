package io.asyncflow.flowsvr.task.pause;

import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;

/**
 * An event, published after the commit: something was paused or resumed.
 *
 * @param isFromAfar whether another server has done it
 */
public record PausesChanged(boolean isFromAfar) implements ClusterEvent {

  /** A change on this server. */
  public static final PausesChanged HERE = new PausesChanged(false);
}
