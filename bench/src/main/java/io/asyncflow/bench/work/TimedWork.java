package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;

/** How long a system takes for some work. */
public final class TimedWork extends SystemContender<Duration> {

  /** Clients that create tasks in bulk while the system runs them. */
  public static final int LIFE_CREATORS = 2;

  /** Clients that create tasks one by one. */
  public static final int SINGLE_CREATORS = 64;

  /** Clients that create tasks in bulk. */
  public static final int BULK_CREATORS = 4;

  private interface Work {
    Duration of(TaskSystem system, int first, int tasks) throws Exception;
  }

  private final String more;
  private final Work work;

  private TimedWork(TaskSystem system, String more, Work work) {
    super(system);
    this.more = more;
    this.work = work;
  }

  /**
   * Whole lives: clients create tasks in bulk while the system runs them. From the first create
   * until none is left to do.
   */
  public static TimedWork lives(TaskSystem system) {
    return new TimedWork(system, "", TimedWork::live);
  }

  /** Tasks created one by one; nobody runs them. */
  public static TimedWork singleCreates(TaskSystem system) {
    return new TimedWork(system, "", TimedWork::createOneByOne);
  }

  /** Tasks created many at a time; nobody runs them. */
  public static TimedWork bulkCreates(TaskSystem system) {
    return new TimedWork(system, ", " + system.bulk() + " a call", TimedWork::createInBulk);
  }

  /**
   * Tasks that were there before are run: from the start of the first one until none is left to do.
   * So the pause before a system first looks for work does not count.
   */
  public static TimedWork processing(TaskSystem system) {
    return new TimedWork(system, "", TimedWork::process);
  }

  @Override
  public String name() {
    return super.name() + more;
  }

  @Override
  Duration run(TaskSystem system, int first, int tasks) throws Exception {
    return work.of(system, first, tasks);
  }

  private static Duration live(TaskSystem system, int first, int tasks) throws Exception {
    expectUnfinished(system, 0);
    Starts starts = new Starts(first, tasks);
    try (TaskSystem.Runner runner = system.run(starts)) {
      long start = System.nanoTime();
      Creation.inBulk(system, first, tasks, LIFE_CREATORS);
      starts.awaitDone(system, runner);
      return Duration.ofNanos(System.nanoTime() - start);
    }
  }

  private static Duration createOneByOne(TaskSystem system, int first, int tasks) throws Exception {
    int before = system.unfinished();
    Duration took = Creation.oneByOne(system, first, tasks, SINGLE_CREATORS);
    expectUnfinished(system, before + tasks);
    return took;
  }

  private static Duration createInBulk(TaskSystem system, int first, int tasks) throws Exception {
    int before = system.unfinished();
    Duration took = Creation.inBulk(system, first, tasks, BULK_CREATORS);
    expectUnfinished(system, before + tasks);
    return took;
  }

  private static Duration process(TaskSystem system, int first, int tasks) throws Exception {
    expectUnfinished(system, 0);
    Creation.inBulk(system, first, tasks, BULK_CREATORS);
    Starts starts = new Starts(first, tasks);
    try (TaskSystem.Runner runner = system.run(starts)) {
      starts.awaitDone(system, runner);
      return Duration.ofNanos(System.nanoTime() - starts.firstNanos());
    }
  }
}
