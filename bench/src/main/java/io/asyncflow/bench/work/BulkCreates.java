package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;

/** Tasks created many at a time, by four clients; nobody runs them. */
public final class BulkCreates extends SystemContender<Duration> {

  public static final int CLIENTS = 4;

  public BulkCreates(TaskSystem system) {
    super(system);
  }

  @Override
  public String name() {
    return super.name() + ", " + bulk() + " a call";
  }

  @Override
  Duration run(TaskSystem system, int first, int tasks) throws Exception {
    int before = system.unfinished();
    Duration took = Creation.inBulk(system, first, tasks, CLIENTS);
    expectUnfinished(system, before + tasks);
    return took;
  }
}
