package io.asyncflow.flowsvr.queue.claim;

import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.TaskRow;
import java.util.List;
import java.util.function.Predicate;

/** The holds of this server that wait for work. Implementations are thread-safe. */
public interface ParkedHolds {

  /**
   * Keeps the first parked holds of the line from claims, because tasks may be created for them.
   *
   * @param wanted whether a hold would get one of the tasks; a pure function
   * @param most at least 1
   * @return none while a claim for them is under way, or another hold would come before them
   */
  Kept keep(TaskTypeConfig type, Predicate<Hold> wanted, int most);

  /**
   * Holds that no claim has, until one of the two methods is called; a second call does nothing.
   */
  interface Kept {

    Kept NONE =
        new Kept() {
          @Override
          public List<Hold> holds() {
            return List.of();
          }

          @Override
          public void answer(List<List<TaskRow>> shares) {}

          @Override
          public void free() {}
        };

    /** The holds, in the order of the line; each has a worker, an id and stages. */
    List<Hold> holds();

    /**
     * Answers the holds that have tasks, after the commit, and lets claims have the others.
     *
     * @param shares the tasks of each hold, in the order of the holds
     */
    void answer(List<List<TaskRow>> shares);

    /** Lets claims have the holds again; one begins at once. */
    void free();
  }
}
