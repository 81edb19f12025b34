package io.asyncflow.bench.work;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.system.TaskSystem;

/** A {@link TaskSystem} that takes part in a contest, with tasks that no other run of it had. */
abstract class SystemContender<R> implements Contender<R> {

  private final TaskSystem system;
  private int nextNumber;

  SystemContender(TaskSystem system) {
    this.system = system;
  }

  @Override
  public String name() {
    return system.name();
  }

  @Override
  public String conditions() {
    return system.conditions();
  }

  @Override
  public int share(int units) {
    return system.share(units);
  }

  @Override
  public final R run(int units) throws Exception {
    int first = nextNumber;
    nextNumber += units;
    return run(system, first, units);
  }

  /**
   * @param first number of the first task
   */
  abstract R run(TaskSystem system, int first, int tasks) throws Exception;

  /** Checks that so many more tasks are there, and that none has been done. */
  static void expectUnfinished(TaskSystem system, int expected) throws Exception {
    int unfinished = system.unfinished();
    if (unfinished != expected) {
      throw new IllegalStateException(
          system.name() + " has " + unfinished + " unfinished tasks instead of " + expected);
    }
  }
}
