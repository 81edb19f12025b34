package io.asyncflow.flowsvr.compose.schedule.slice;

/**
 * Says whether there are schedules at all. Without any, no server asks the database for slices. The
 * answer costs a statement after news of schedules, and else one in ten seconds at most.
 * Thread-safe.
 */
@FunctionalInterface
public interface SchedulesInUse {

  /** Whether there is a schedule, or was one a few seconds ago. */
  boolean inUse();
}
