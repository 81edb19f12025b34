package io.asyncflow.worker;

import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * A lock with which the workers of a type hold one after another. It only reduces contention in the
 * database: a worker without the lock holds all the same. The library {@code worker-redis} has one
 * in Redis.
 */
public interface HoldLock extends AutoCloseable {

  /** Whether there is a lock; without one, a hold need not be split to keep it short. */
  default boolean present() {
    return true;
  }

  /**
   * Tries to acquire the lock for a moment; never throws and never blocks longer.
   *
   * @return {@code false} if another worker has the lock, or its service does not answer
   */
  boolean tryAcquire(String taskType);

  /** Releases the lock; only after {@link #tryAcquire} returned {@code true} in the same thread. */
  void release(String taskType);

  @Override
  void close();

  /** Makes locks; found by {@link ServiceLoader}. */
  interface Provider {

    /**
     * @param url of the service that has the lock, which may be down
     * @return opens the lock, once for each worker
     * @throws IllegalArgumentException if it is no such address; the message continues "must be"
     */
    Supplier<HoldLock> at(String url);
  }
}
