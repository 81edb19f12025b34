package io.asyncflow.flowsvr.schedule.core;

/**
 * An event: schedules of this server were saved, resumed, or their runs have ended. It is published
 * after the commit; listeners must return quickly.
 */
public record SchedulesChanged() {}
