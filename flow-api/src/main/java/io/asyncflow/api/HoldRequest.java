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
 */
public record HoldRequest(
    String taskType,
    Integer limit,
    String workerId,
    Integer waitMs,
    String holdId,
    List<String> stages) {}
