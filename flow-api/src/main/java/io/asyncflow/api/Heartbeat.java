package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A sign of life of a worker, and of the tasks that it holds.
 *
 * @param workerId the worker
 * @param tasks what it holds; may be empty
 * @param worker what it says of itself; {@code null} leaves what it said last
 * @param startId names this start of the worker, at most 64 characters, and no other one: a worker
 *     that is sent away and started again under its id is not sent away once more; {@code null} for
 *     none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Heartbeat(String workerId, List<HeldTask> tasks, WorkerInfo worker, String startId) {

  /** A beat of a worker that does not say which start of it this is. */
  public Heartbeat(String workerId, List<HeldTask> tasks, WorkerInfo worker) {
    this(workerId, tasks, worker, null);
  }

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
