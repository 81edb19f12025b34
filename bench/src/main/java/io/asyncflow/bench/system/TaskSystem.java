package io.asyncflow.bench.system;

import io.asyncflow.bench.bed.Workload;
import java.util.function.IntConsumer;

/**
 * Something that keeps tasks in the database of the bench and runs them: flowsvr, a peer, plain
 * JDBC. Each has a store of its own, so that contests do not see each other's tasks.
 *
 * <p>A task has a number, which its handler gets back, and {@value Workload#CONTEXT_SIZE} bytes to
 * carry. Handlers do nothing else than tell that they were started.
 */
public interface TaskSystem {

  /** As the tables call it. */
  String name();

  /** How it is set up. */
  String conditions();

  /** How many tasks it takes part with where the others take part with so many; at least 1. */
  default int share(int tasks) {
    return tasks;
  }

  /** Tasks that one call creates where many are to be created. */
  int bulk();

  /** One client's way of creating tasks; opened before the clock starts. */
  Creator creator() throws Exception;

  /**
   * Starts what runs the tasks.
   *
   * @param started told the number of each task as its handler starts; thread-safe
   * @return what ends it again, and waits for that
   */
  Runner run(IntConsumer started) throws Exception;

  /** Tasks that wait or run, as the store itself tells. */
  int unfinished() throws Exception;

  /** Creates tasks; used by one thread. */
  interface Creator extends AutoCloseable {

    void createOne(int number) throws Exception;

    /**
     * Creates the tasks {@code from} (included) to {@code to} (excluded), at most {@link #bulk}.
     */
    void createMany(int from, int to) throws Exception;

    @Override
    default void close() throws Exception {}
  }

  /** What runs tasks until it is closed. */
  interface Runner extends AutoCloseable {

    /** Throws what went wrong in one of its threads, lest somebody waits for it in vain. */
    default void check() throws Exception {}
  }
}
