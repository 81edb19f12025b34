package io.asyncflow.api;

import java.util.List;

/**
 * What the server says to a {@link Heartbeat}.
 *
 * @param tasks the state of each task that it named, in order
 * @param drain whether the worker shall stop polling, finish what it has, and leave
 */
public record HeartbeatAnswer(List<LeaseState> tasks, boolean drain) {

  /** What became of one lease. */
  public enum State {
    /** It lasts {@code leaseMs} from the moment the request was made. */
    EXTENDED,
    /** Somebody else may hold the task; stop. */
    LOST,
    /** The task was cancelled; stop. */
    CANCEL
  }

  /**
   * @param leaseMs how long the lease lasts from now; 0 unless it was extended
   */
  public record LeaseState(String taskId, Integer leaseEpoch, State state, long leaseMs) {}
}
