package io.asyncflow.flowsvr.job.core;

import java.util.Set;

/**
 * News, published after commit and in the thread that committed: something about these jobs is
 * other than it was. Listeners do no work of their own in that thread.
 */
public record JobsChanged(Set<Long> jobIds) {}
