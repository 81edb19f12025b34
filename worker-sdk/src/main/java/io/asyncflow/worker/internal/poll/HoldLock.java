package io.asyncflow.worker.internal.poll;

/**
 * A lock with which the workers of a type hold one after another. It only reduces contention in the
 * database: a worker without the lock holds all the same.
 */
public interface HoldLock extends AutoCloseable {

  /** Whether there is a lock; without one, a hold need not be split to keep it short. */
  boolean present();

  /**
   * Tries to acquire the lock for a moment; never throws and never blocks longer.
   *
   * @return {@code false} if another worker has the lock, or Redis does not answer
   */
  boolean tryAcquire(String taskType);

  /** Releases the lock; only after {@link #tryAcquire} returned {@code true} in the same thread. */
  void release(String taskType);

  @Override
  void close();
}
