package io.asyncflow.flowsvr.event.log;

/** News, published after the commit: this server has written events. */
public record EventsWritten() {}
