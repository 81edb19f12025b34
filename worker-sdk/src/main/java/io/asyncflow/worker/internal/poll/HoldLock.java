package io.asyncflow.worker.internal.poll;

/**
 * Lets the workers of a type hold one after the other instead of all at once. It only saves the
 * database some contention and decides nothing: who does not get it holds all the same.
 */
public interface HoldLock extends AutoCloseable {

  /** Whether there is anything to get; if not, a hold need not be split to keep it short. */
  boolean present();

  /**
   * Tries for a moment; never throws and never blocks longer than that moment.
   *
   * @return {@code false} if somebody else has it, or nobody can tell
   */
  boolean tryAcquire(String taskType);

  /** Gives it up; only after {@link #tryAcquire} said {@code true}, in the same thread. */
  void release(String taskType);

  @Override
  void close();
}
