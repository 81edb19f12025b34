package io.asyncflow.flowsvr.task.event.log;

import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;

/**
 * News, published after the commit: events were written. It may be lost: tails also poll.
 *
 * @param isFromAfar whether another server has written them
 */
public record EventsWritten(boolean isFromAfar) implements ClusterEvent {}
