package io.asyncflow.flowsvr.claim;

import io.asyncflow.flowsvr.due.HoldKey;
import io.asyncflow.rules.TaskType;
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
 * @param startId names the start of the worker; empty if it does not say
 */
public record Hold(
    TaskType type,
    int limit,
    String workerId,
    Duration waitTime,
    String holdId,
    Set<String> stages,
    Preference preference,
    String startId) {

  /** A hold that takes all its stages alike. */
  public Hold(
      TaskType type,
      int limit,
      String workerId,
      Duration waitTime,
      String holdId,
      Set<String> stages) {
    this(type, limit, workerId, waitTime, holdId, stages, Preference.NONE);
  }

  /** A hold of a worker that does not say which start of it this is. */
  public Hold(
      TaskType type,
      int limit,
      String workerId,
      Duration waitTime,
      String holdId,
      Set<String> stages,
      Preference preference) {
    this(type, limit, workerId, waitTime, holdId, stages, preference, "");
  }

  /** The same without a wait. */
  public Hold atOnce() {
    return new Hold(type, limit, workerId, Duration.ZERO, holdId, stages, preference, startId);
  }

  public boolean isRepeatable() {
    return holdId != null;
  }

  /** What its later deliveries have in common with it; only if it is repeatable. */
  public HoldKey key() {
    return new HoldKey(workerId, holdId);
  }

  public boolean takes(String stage) {
    return stages.isEmpty() || stages.contains(stage);
  }

  /** Whether there are tasks that it takes only when they have been due for a while. */
  boolean isChoosy() {
    return !preference.othersAfter().isZero();
  }
}
