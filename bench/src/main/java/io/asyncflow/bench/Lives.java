package io.asyncflow.bench;

import java.time.Duration;

/**
 * Whole lives: two clients create tasks in bulk while the system runs them. From the first create
 * until none is left to do.
 */
final class Lives extends SystemContender<Duration> {

  static final int CREATORS = 2;

  Lives(TaskSystem system) {
    super(system);
  }

  @Override
  Duration run(TaskSystem system, int first, int tasks) throws Exception {
    expectUnfinished(system, 0);
    Starts starts = new Starts(first, tasks);
    try (TaskSystem.Runner runner = system.run(starts)) {
      long start = System.nanoTime();
      Creation.inBulk(system, first, tasks, CREATORS);
      starts.awaitDone(system, runner);
      return Duration.ofNanos(System.nanoTime() - start);
    }
  }
}
