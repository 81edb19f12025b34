package io.asyncflow.flowsvr.queue.claim;

import io.asyncflow.flowsvr.queue.due.HoldKey;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Set;

/**
 * A validated request to hold due tasks.
 *
 * @param limit the most tasks wanted; 0 for the type's schedule_limit
 * @param workerId the worker; empty for an old client, which sends no heartbeats
 * @param waitTime how long it may be parked while nothing is due
 * @param holdId makes it repeatable after a lost answer; {@code null} if it is not repeatable
 * @param stages the stages wanted; empty for all
 * @param startId identifies the start of the worker; empty if unknown
 * @param workerVersion the version of the worker's program; 0 if it sends none
 * @param queueTime of a worker of an older protocol, for how long tasks may lie in its queue before
 *     it begins them; {@code null} for all others
 */
public record Hold(
    TaskType type,
    int limit,
    String workerId,
    Duration waitTime,
    String holdId,
    Set<String> stages,
    Preference preference,
    String startId,
    int workerVersion,
    Duration queueTime) {

  /** A hold without a preference, a start id and a version. */
  public Hold(
      TaskType type,
      int limit,
      String workerId,
      Duration waitTime,
      String holdId,
      Set<String> stages) {
    this(type, limit, workerId, waitTime, holdId, stages, Preference.NONE, "", 0, null);
  }

  /** Whether it may be parked; if not, it is answered even if nothing is due. */
  public boolean waits() {
    return !waitTime.isZero();
  }

  public boolean isRepeatable() {
    return holdId != null;
  }

  /**
   * Whether its worker may lose all tasks that it was given with one of them. So a task that was
   * lost before is given to it alone.
   */
  boolean losesAllAtOnce() {
    return queueTime != null;
  }

  /** The most tasks that it gets. */
  int limitOf(TaskTypeConfig config) {
    return limit == 0 ? config.scheduleLimit() : limit;
  }

  /** The length of the lease that it grants. */
  Duration lease(TaskTypeConfig config) {
    return queueTime == null ? Leases.first(workerId, config) : Leases.ofQueue(queueTime, config);
  }

  /** The key that all deliveries of this hold share; only for a repeatable hold. */
  public HoldKey key() {
    return new HoldKey(workerId, holdId);
  }

  public boolean takes(String stage) {
    return stages.isEmpty() || stages.contains(stage);
  }

  /** Whether it takes tasks of the stage as soon as they are due. */
  boolean takesAtOnce(String stage) {
    return takes(stage) && preference.patienceMs(stage) == 0;
  }

  /** Whether the type asks for a later version of the worker, so that the hold gets no tasks. */
  public boolean isTooOldFor(TaskTypeConfig config) {
    return workerVersion < config.minWorkerVersion();
  }

  /** Whether it takes some tasks only after they have been due for a while. */
  boolean isChoosy() {
    return !preference.othersAfter().isZero();
  }
}
