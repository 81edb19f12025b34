package io.asyncflow.api;

import java.util.List;

/**
 * A request for due tasks of one type.
 *
 * @param taskType the type
 * @param limit the most tasks wanted, 1 to 1,000; {@code null} or 0 for the type's schedule_limit
 * @param workerId the worker, at most 64 characters; {@code null} for an old client without
 *     heartbeats
 * @param waitMs how long the hold may be parked while nothing is due, 0 to 30,000; {@code null} is
 *     0
 * @param holdId makes a hold repeatable after a lost answer; at most 64 characters
 * @param stages the stages wanted; {@code null} or empty for all
 * @param prefer the stages whose tasks it takes first, and as soon as they are due; {@code null} is
 *     none
 * @param othersAfterMs how long a task of any other stage must have been due before this hold takes
 *     it, 0 to 10,000; {@code null} is 0
 * @param startId identifies this start of the worker, as in {@link Heartbeat}; {@code null} for
 *     none
 * @param workerVersion the version of the worker's program; a type may ask for a lowest one; {@code
 *     null} is 0
 */
public record HoldRequest(
    String taskType,
    Integer limit,
    String workerId,
    Integer waitMs,
    String holdId,
    List<String> stages,
    List<String> prefer,
    Integer othersAfterMs,
    String startId,
    Integer workerVersion) {

  /** A request without a preference, a {@code startId} and a version. */
  public HoldRequest(
      String taskType,
      Integer limit,
      String workerId,
      Integer waitMs,
      String holdId,
      List<String> stages) {
    this(taskType, limit, workerId, waitMs, holdId, stages, null, null, null, null);
  }
}
