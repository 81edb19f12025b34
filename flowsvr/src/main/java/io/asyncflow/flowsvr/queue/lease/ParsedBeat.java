package io.asyncflow.flowsvr.queue.lease;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.rules.TaskId;

/**
 * A held task in a heartbeat, with its id parsed.
 *
 * @param id the id that {@code task} names, parsed
 */
public record ParsedBeat(TaskId id, HeldTask task) {

  /**
   * @throws java.util.NoSuchElementException if the text is not a task id
   */
  public static ParsedBeat of(HeldTask task) {
    return new ParsedBeat(TaskId.parse(task.taskId()).orElseThrow(), task);
  }

  long number() {
    return id.number();
  }
}
