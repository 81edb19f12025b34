package io.asyncflow.rules;

/**
 * Names a fire of a schedule. A fire creates one task or one job at most.
 *
 * @param fireTime epoch ms at which the schedule fired, which is not when the task is due
 */
public record FireId(long scheduleId, long fireTime) {}
