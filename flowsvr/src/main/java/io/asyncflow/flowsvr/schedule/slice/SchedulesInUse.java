package io.asyncflow.flowsvr.schedule.slice;

/**
 * Says whether there are schedules at all. Without any, no server asks the database for slices. The
 * answer must cost no statement. Thread-safe.
 */
@FunctionalInterface
public interface SchedulesInUse {

  /** Whether there is a schedule, as far as this server knows. */
  boolean inUse();
}
