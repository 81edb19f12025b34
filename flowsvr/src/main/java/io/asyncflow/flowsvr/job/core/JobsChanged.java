package io.asyncflow.flowsvr.job.core;

import java.util.Set;

/**
 * An event: these jobs have changed. It is published after the commit, in the committing thread;
 * listeners must return quickly.
 */
public record JobsChanged(Set<Long> jobIds) {}
