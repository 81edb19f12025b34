package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Has tasks created by several clients that start together. */
public final class Creation {

  private Creation() {}

  /** One call a task. */
  static Duration oneByOne(TaskSystem system, int first, int tasks, int clients) throws Exception {
    return Crowd.share(
        tasks,
        clients,
        () -> new Client(system.creator(), (creator, task) -> creator.createOne(first + task)));
  }

  /**
   * One call a task, each at a moment of its own; a client that is late does not wait.
   *
   * @param begin of {@link System#nanoTime}
   * @param moments of the tasks, in ns from the beginning, ascending
   */
  static void at(long begin, long[] moments, TaskSystem system, int first, int clients)
      throws Exception {
    Crowd.share(
        moments.length,
        clients,
        () ->
            new Client(
                system.creator(),
                (creator, task) -> {
                  TimeUnit.NANOSECONDS.sleep(begin + moments[task] - System.nanoTime());
                  creator.createOne(first + task);
                }));
  }

  /** As many tasks a call as the system likes. */
  public static Duration inBulk(TaskSystem system, int first, int tasks, int clients)
      throws Exception {
    int bulk = system.bulk();
    return Crowd.share(
        (tasks + bulk - 1) / bulk,
        clients,
        () ->
            new Client(
                system.creator(),
                (creator, call) ->
                    creator.createMany(
                        first + call * bulk, first + Math.min((call + 1) * bulk, tasks))));
  }

  private interface Act {
    void by(TaskSystem.Creator creator, int unit) throws Exception;
  }

  private record Client(TaskSystem.Creator creator, Act act) implements Crowd.Client {
    @Override
    public void act(int unit) throws Exception {
      act.by(creator, unit);
    }

    @Override
    public void close() throws Exception {
      creator.close();
    }
  }
}
