package io.asyncflow.flowsvr.job.core;

/** An event, published after the commit: a change on this server has ended this job. */
public record JobEnded(long jobId) {}
