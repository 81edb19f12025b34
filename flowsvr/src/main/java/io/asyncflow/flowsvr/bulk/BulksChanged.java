package io.asyncflow.flowsvr.bulk;

/** An event, published after the commit: a bulk was started or resumed on this server. */
public record BulksChanged() {}
