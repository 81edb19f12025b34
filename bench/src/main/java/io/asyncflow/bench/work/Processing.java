package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;

/**
 * Tasks that were there before are run: from the start of the first one until none is left to do.
 * So the pause before a system first looks for work does not count.
 */
public final class Processing extends SystemContender<Duration> {

  public Processing(TaskSystem system) {
    super(system);
  }

  @Override
  Duration run(TaskSystem system, int first, int tasks) throws Exception {
    expectUnfinished(system, 0);
    Creation.inBulk(system, first, tasks, BulkCreates.CLIENTS);
    Starts starts = new Starts(first, tasks);
    try (TaskSystem.Runner runner = system.run(starts)) {
      starts.awaitDone(system, runner);
      return Duration.ofNanos(System.nanoTime() - starts.firstNanos());
    }
  }
}
