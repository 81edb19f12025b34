package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;

/**
 * An event: schedules were saved, resumed, or their runs have ended. It is published after the
 * commit; listeners must return quickly.
 *
 * @param isFromAfar whether another server has done it
 */
public record SchedulesChanged(boolean isFromAfar) implements ClusterEvent {

  /** A change on this server. */
  public SchedulesChanged() {
    this(false);
  }
}
