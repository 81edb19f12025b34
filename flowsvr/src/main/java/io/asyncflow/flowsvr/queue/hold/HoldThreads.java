package io.asyncflow.flowsvr.queue.hold;

import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;

/**
 * The threads that serve parked holds: one timer, and a small pool that makes the claims. The pool
 * is small because each line is served by one thread at a time.
 */
final class HoldThreads implements AutoCloseable {

  static final int POOL_SIZE = 4;

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor pool;

  HoldThreads() {
    this(DaemonThreads.named("hold"));
  }

  /**
   * @param poolThreads creates the threads of the pool
   */
  HoldThreads(ThreadFactory poolThreads) {
    // Alarms and rounds that are requested while the server stops are discarded.
    timer =
        new ScheduledThreadPoolExecutor(1, DaemonThreads.named("hold-timer"), new DiscardPolicy());
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.prestartCoreThread(); // alarms must ring even if no more threads can be started
    pool = DaemonThreads.pool(POOL_SIZE, poolThreads);
  }

  /**
   * Runs the work in the pool. Throws any error that keeps a thread from starting, such as {@link
   * OutOfMemoryError}.
   */
  void execute(Runnable work) {
    pool.execute(work);
  }

  ScheduledFuture<?> after(long ms, Runnable work) {
    return timer.schedule(work, ms, TimeUnit.MILLISECONDS);
  }

  /** Waits up to two seconds for running claims, so that their tasks can be released. */
  @Override
  public void close() {
    timer.shutdownNow();
    pool.shutdown();
    try {
      pool.awaitTermination(2, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
