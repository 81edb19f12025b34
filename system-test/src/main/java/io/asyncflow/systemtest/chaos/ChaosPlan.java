package io.asyncflow.systemtest.chaos;

import java.time.Duration;

/**
 * What a chaos run is told to do.
 *
 * @param tasks of three stages each
 * @param jobs beside them, of fifty tasks each
 * @param schedules beside them, of every policy
 * @param seed of the faults and of the tasks' behaviour
 * @param servers flowsvr processes
 * @param workers scripted workers, spread over the servers
 * @param load the creates are spread over so long, and longer if the workers do not keep up
 */
public record ChaosPlan(
    int tasks, int jobs, int schedules, long seed, int servers, int workers, Duration load) {

  private static final int TASKS_A_JOB = 1_000;
  private static final int TASKS_A_SCHEDULE = 100;
  private static final Duration TIME_OF_A_TASK = Duration.ofMillis(24);
  private static final Duration LONGEST_DEFAULT_LOAD = Duration.ofMinutes(2);

  private static final Duration LEAST_CALM = Duration.ofSeconds(5);
  private static final Duration MOST_CALM = Duration.ofSeconds(15);

  /**
   * The headline's cluster, a job for each thousand tasks and a schedule for each hundred; two
   * minutes of load, and less for less than 5,000 tasks.
   */
  public static ChaosPlan of(int tasks, long seed) {
    return new ChaosPlan(
        tasks,
        (tasks + TASKS_A_JOB - 1) / TASKS_A_JOB,
        (tasks + TASKS_A_SCHEDULE - 1) / TASKS_A_SCHEDULE,
        seed,
        3,
        6,
        shorter(TIME_OF_A_TASK.multipliedBy(tasks), LONGEST_DEFAULT_LOAD));
  }

  /** The same with another cluster. */
  public ChaosPlan on(int newServers, int newWorkers) {
    return new ChaosPlan(tasks, jobs, schedules, seed, newServers, newWorkers, load);
  }

  /** The same with another time of load. */
  public ChaosPlan within(Duration newLoad) {
    return new ChaosPlan(tasks, jobs, schedules, seed, servers, workers, newLoad);
  }

  /** The same with another number of jobs. */
  public ChaosPlan with(int newJobs) {
    return new ChaosPlan(tasks, newJobs, schedules, seed, servers, workers, load);
  }

  /** The same with another number of schedules. */
  ChaosPlan withSchedules(int newSchedules) {
    return new ChaosPlan(tasks, jobs, newSchedules, seed, servers, workers, load);
  }

  /** From the beginning of a fault to that of the next at least; a short load has as many. */
  Duration calmAtLeast() {
    return shorter(LEAST_CALM, load.dividedBy(24));
  }

  /** From the beginning of a fault to that of the next at most. */
  Duration calmAtMost() {
    return shorter(MOST_CALM, load.dividedBy(8));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
