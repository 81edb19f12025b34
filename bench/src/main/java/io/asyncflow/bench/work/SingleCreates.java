package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;

/** Tasks created one by one, by 64 clients; nobody runs them. */
public final class SingleCreates extends SystemContender<Duration> {

  public static final int CLIENTS = 64;

  public SingleCreates(TaskSystem system) {
    super(system);
  }

  @Override
  Duration run(TaskSystem system, int first, int tasks) throws Exception {
    int before = system.unfinished();
    Duration took = Creation.oneByOne(system, first, tasks, CLIENTS);
    expectUnfinished(system, before + tasks);
    return took;
  }
}
