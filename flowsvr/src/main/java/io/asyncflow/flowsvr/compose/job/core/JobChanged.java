package io.asyncflow.flowsvr.compose.job.core;

import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import java.util.Optional;

/**
 * An event: a job has changed. It is published after the commit, in the committing thread;
 * listeners must return quickly.
 *
 * @param isFromAfar whether another server has changed it
 */
public record JobChanged(long jobId, boolean isFromAfar) implements ClusterEvent {

  /** A change on this server. */
  public JobChanged(long jobId) {
    this(jobId, false);
  }

  @Override
  public String line() {
    return Long.toString(jobId);
  }

  /** The event of a line of another server. */
  public static Optional<JobChanged> ofLine(String line) {
    return line.matches("[0-9]{1,18}")
        ? Optional.of(new JobChanged(Long.parseLong(line), true))
        : Optional.empty();
  }
}
