package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The server's answer to a {@link Heartbeat}.
 *
 * @param tasks the state of each lease that the heartbeat named, in its order
 * @param drain whether the worker shall drain: stop polling, finish its tasks and stop
 * @param drainGraceMs milliseconds after which a draining worker interrupts what it runs and
 *     releases it; {@code null} for never
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HeartbeatAnswer(List<LeaseState> tasks, boolean drain, Long drainGraceMs) {

  /** What a heartbeat found about one lease. */
  public enum State {
    /** The lease lasts {@code leaseMs} from the moment the request was sent. */
    EXTENDED,
    /** Another worker may hold the task; stop the run. */
    LOST,
    /** The task was cancelled; stop the run. */
    CANCEL
  }

  /**
   * @param leaseMs how long the lease lasts, in milliseconds; 0 unless it was extended
   */
  public record LeaseState(String taskId, Integer leaseEpoch, State state, long leaseMs) {}
}
