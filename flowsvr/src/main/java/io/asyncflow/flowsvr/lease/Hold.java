package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.Set;

/**
 * A checked request to hold due tasks.
 *
 * @param limit at most so many; 0 for the type's schedule_limit
 * @param workerId who asks; empty for an old client, which sends no heartbeats
 * @param waitTime how long it may be parked while nothing is due
 * @param holdId makes it repeatable after a lost answer; {@code null} if it is not
 * @param stages only tasks of these; empty for all
 */
public record Hold(
    TaskType type,
    int limit,
    String workerId,
    Duration waitTime,
    String holdId,
    Set<String> stages) {

  /** The same without a wait. */
  Hold atOnce() {
    return new Hold(type, limit, workerId, Duration.ZERO, holdId, stages);
  }

  boolean isRepeatable() {
    return holdId != null;
  }
}
