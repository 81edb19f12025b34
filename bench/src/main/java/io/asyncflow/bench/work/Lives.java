package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;

/**
 * Whole lives: two clients create tasks in bulk while the system runs them. From the first create
 * until none is left to do.
 */
public final class Lives extends SystemContender<Duration> {

  public static final int CREATORS = 2;

  public Lives(TaskSystem system) {
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
