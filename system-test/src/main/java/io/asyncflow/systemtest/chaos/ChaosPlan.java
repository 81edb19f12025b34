package io.asyncflow.systemtest.chaos;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a chaos run is told to do.
 *
 * @param tasks of three stages each
 * @param jobs beside them, of fifty tasks each
 * @param seed of the faults and of the tasks' behaviour
 * @param servers flowsvr processes
 * @param workers scripted workers, spread over the servers
 * @param load the creates are spread over so long, and longer if the workers do not keep up
 */
public record ChaosPlan(int tasks, int jobs, long seed, int servers, int workers, Duration load) {

  private static final int TASKS = 5_000;
  private static final int TASKS_A_JOB = 1_000;
  private static final Duration TIME_OF_A_TASK = Duration.ofMillis(24);
  private static final Duration LONGEST_DEFAULT_LOAD = Duration.ofMinutes(2);

  private static final Duration LEAST_CALM = Duration.ofSeconds(5);
  private static final Duration MOST_CALM = Duration.ofSeconds(15);

  /**
   * The headline's cluster, a job for each thousand tasks; two minutes of load, and less for less
   * than 5,000 tasks.
   */
  public static ChaosPlan of(int tasks, long seed) {
    return new ChaosPlan(
        tasks,
        (tasks + TASKS_A_JOB - 1) / TASKS_A_JOB,
        seed,
        3,
        6,
        shorter(TIME_OF_A_TASK.multipliedBy(tasks), LONGEST_DEFAULT_LOAD));
  }

  /** The same with another cluster. */
  public ChaosPlan on(int newServers, int newWorkers) {
    return new ChaosPlan(tasks, jobs, seed, newServers, newWorkers, load);
  }

  /** The same with another time of load. */
  ChaosPlan within(Duration newLoad) {
    return new ChaosPlan(tasks, jobs, seed, servers, workers, newLoad);
  }

  /** The same with another number of jobs. */
  ChaosPlan with(int newJobs) {
    return new ChaosPlan(tasks, newJobs, seed, servers, workers, load);
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

  /**
   * Reads {@code --tasks N --jobs N --seed S --minutes M --servers N --workers N}, each with a
   * default.
   *
   * @throws IllegalArgumentException in one sentence if it cannot be read
   */
  static ChaosPlan parse(String... arguments) {
    long tasks = TASKS;
    long seed = ThreadLocalRandom.current().nextLong(1_000_000);
    long servers = 0;
    long workers = 0;
    long minutes = 0;
    long jobs = -1;
    for (int i = 0; i < arguments.length; i += 2) {
      String option = arguments[i];
      String value = i + 1 < arguments.length ? arguments[i + 1] : "";
      switch (option) {
        case "--tasks" -> tasks = positive(option, value);
        case "--jobs" -> jobs = value.equals("0") ? 0 : positive(option, value);
        case "--seed" -> seed = number(option, value);
        case "--minutes" -> minutes = positive(option, value);
        case "--servers" -> servers = positive(option, value);
        case "--workers" -> workers = positive(option, value);
        default -> throw new IllegalArgumentException("There is no option " + option + ".");
      }
    }
    ChaosPlan plan = of((int) tasks, seed);
    plan =
        plan.on(
            servers == 0 ? plan.servers() : (int) servers,
            workers == 0 ? plan.workers() : (int) workers);
    plan = jobs < 0 ? plan : plan.with((int) jobs);
    return minutes == 0 ? plan : plan.within(Duration.ofMinutes(minutes));
  }

  private static long positive(String option, String text) {
    long value = number(option, text);
    if (value < 1 || value > 100_000_000) {
      throw new IllegalArgumentException(option + " wants 1 to 100000000, and not " + text + ".");
    }
    return value;
  }

  private static long number(String option, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          option + " wants a number, and \"" + text + "\" is none.", e);
    }
  }
}
