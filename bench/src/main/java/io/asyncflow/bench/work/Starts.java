package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;

/** When each of a run's tasks was started first. Thread-safe. */
final class Starts implements IntConsumer {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LAST_REPORTS = Duration.ofSeconds(60);

  private final int first;
  private final AtomicLongArray nanos;
  private final CountDownLatch missing;
  private volatile long firstNanos;

  /**
   * @param first number of the run's first task; the others follow it
   */
  Starts(int first, int tasks) {
    this.first = first;
    this.nanos = new AtomicLongArray(tasks);
    this.missing = new CountDownLatch(tasks);
  }

  @Override
  public void accept(int number) {
    long now = System.nanoTime();
    int task = number - first;
    // A second start of a task does not count; systems that promise "at least once" may do that.
    if (task >= 0 && task < nanos.length() && nanos.compareAndSet(task, 0, now)) {
      if (firstNanos == 0) {
        firstNanos = now; // the first few may race for it: they are microseconds apart
      }
      missing.countDown();
    }
  }

  /** {@link System#nanoTime} of a task's first start. */
  long nanosOf(int number) {
    return nanos.get(number - first);
  }

  /** {@link System#nanoTime} when the first of all tasks was started. */
  long firstNanos() {
    return firstNanos;
  }

  /** Returns when every task has been started. */
  void await(TaskSystem.Runner runner) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!missing.await(200, TimeUnit.MILLISECONDS)) {
      runner.check();
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(missing.getCount() + " tasks were never started");
      }
    }
  }

  /** Returns when every task has been started, and the system's store has none left to do. */
  void awaitDone(TaskSystem system, TaskSystem.Runner runner) throws Exception {
    await(runner);
    long deadline = System.nanoTime() + LAST_REPORTS.toNanos();
    while (system.unfinished() > 0) {
      runner.check();
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            system.unfinished() + " tasks of " + system.name() + " were started and not finished");
      }
      Thread.sleep(2);
    }
  }
}
