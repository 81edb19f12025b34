package io.asyncflow.bench;

import java.time.Duration;

/** Tasks created one by one, by 64 clients; nobody runs them. */
final class SingleCreates extends SystemContender<Duration> {

  static final int CLIENTS = 64;

  SingleCreates(TaskSystem system) {
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
