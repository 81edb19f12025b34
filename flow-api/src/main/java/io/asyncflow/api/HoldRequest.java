package io.asyncflow.api;

import java.util.List;

/**
 * Asks for due tasks of one type.
 *
 * @param taskType the type
 * @param limit at most so many tasks, 1 to 1,000; {@code null} or 0 for the type's schedule_limit
 * @param workerId who asks, at most 64 characters; {@code null} for an old client without
 *     heartbeats
 * @param waitMs how long an empty hold may be parked, 0 to 30,000; {@code null} is 0
 * @param holdId makes a hold repeatable after a lost answer; at most 64 characters
 * @param stages only tasks of these stages; {@code null} or empty for all
 * @param prefer those of the stages that it takes as soon as they are due, and first; {@code null}
 *     is none
 * @param othersAfterMs how long a task of any other stage must have been due before this hold takes
 *     it, 0 to 10,000; {@code null} or 0 for no longer than one of {@code prefer}
 * @param startId names this start of the worker, as in {@link Heartbeat}; {@code null} for none
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
    String startId) {

  /** A hold of a worker that does not say which start of it this is. */
  public HoldRequest(
      String taskType,
      Integer limit,
      String workerId,
      Integer waitMs,
      String holdId,
      List<String> stages,
      List<String> prefer,
      Integer othersAfterMs) {
    this(taskType, limit, workerId, waitMs, holdId, stages, prefer, othersAfterMs, null);
  }

  /** A hold that takes all its stages alike. */
  public HoldRequest(
      String taskType,
      Integer limit,
      String workerId,
      Integer waitMs,
      String holdId,
      List<String> stages) {
    this(taskType, limit, workerId, waitMs, holdId, stages, null, null);
  }
}
