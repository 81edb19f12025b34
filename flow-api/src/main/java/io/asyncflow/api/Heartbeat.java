package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A sign of life of a worker, and of the tasks that it holds.
 *
 * @param workerId the worker
 * @param tasks what it holds; may be empty
 * @param worker what it says of itself; {@code null} leaves what it said last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Heartbeat(String workerId, List<HeldTask> tasks, WorkerInfo worker) {

  /** A beat that says nothing of the worker itself. */
  public Heartbeat(String workerId, List<HeldTask> tasks) {
    this(workerId, tasks, null);
  }

  /**
   * @param taskId the task
   * @param leaseEpoch the epoch of the hold
   * @param progress per cent, 0 to 100; {@code null} leaves the last one
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record HeldTask(String taskId, Integer leaseEpoch, Integer progress) {}
}
