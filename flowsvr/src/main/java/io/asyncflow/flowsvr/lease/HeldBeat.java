package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.rules.TaskId;

/**
 * A held task in a heartbeat, with its id parsed.
 *
 * @param id the id that {@code task} names, parsed
 */
public record HeldBeat(TaskId id, HeldTask task) {

  /**
   * @throws java.util.NoSuchElementException if it names no task id
   */
  public static HeldBeat of(HeldTask task) {
    return new HeldBeat(TaskId.parse(task.taskId()).orElseThrow(), task);
  }

  long number() {
    return id.number();
  }
}
