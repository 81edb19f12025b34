package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A heartbeat of a worker, with the tasks that it holds.
 *
 * @param workerId the worker
 * @param tasks the tasks that it holds; may be empty
 * @param worker what the worker says about itself; {@code null} keeps what it said last
 * @param startId identifies this start of the worker, at most 64 characters: a worker that was
 *     drained and is started again with the same id is not drained once more; {@code null} for none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Heartbeat(String workerId, List<HeldTask> tasks, WorkerInfo worker, String startId) {

  /** A heartbeat without a {@code startId}. */
  public Heartbeat(String workerId, List<HeldTask> tasks, WorkerInfo worker) {
    this(workerId, tasks, worker, null);
  }

  /** A heartbeat without a {@code worker} and a {@code startId}. */
  public Heartbeat(String workerId, List<HeldTask> tasks) {
    this(workerId, tasks, null);
  }

  /**
   * @param taskId the task
   * @param leaseEpoch the epoch of the hold
   * @param progress per cent, 0 to 100; {@code null} keeps the last value
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record HeldTask(String taskId, Integer leaseEpoch, Integer progress) {}
}
