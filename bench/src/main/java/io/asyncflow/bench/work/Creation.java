package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;

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
