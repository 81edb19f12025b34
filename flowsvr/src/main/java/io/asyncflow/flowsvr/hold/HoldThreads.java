package io.asyncflow.flowsvr.hold;

import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;

/**
 * The threads that serve parked holds: one that keeps time, and a few that ask the database. They
 * are few because each line is served by one at a time.
 */
final class HoldThreads implements AutoCloseable {

  static final int SERVERS = 4;

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor servers;

  HoldThreads() {
    this(DaemonThreads.named("hold"));
  }

  /**
   * @param serverThreads makes those that ask the database
   */
  HoldThreads(ThreadFactory serverThreads) {
    // Whoever sets an alarm, or wants to serve, while the server stops needs it no more.
    timer =
        new ScheduledThreadPoolExecutor(1, DaemonThreads.named("hold-timer"), new DiscardPolicy());
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.prestartCoreThread(); // alarms must ring even where no more threads are to be had
    servers = DaemonThreads.pool(SERVERS, serverThreads);
  }

  /** Throws whatever keeps a thread from being started, such as {@link OutOfMemoryError}. */
  void execute(Runnable work) {
    servers.execute(work);
  }

  ScheduledFuture<?> after(long ms, Runnable work) {
    return timer.schedule(work, ms, TimeUnit.MILLISECONDS);
  }

  /** Waits up to two seconds for claims under way, so that what they take can be given back. */
  @Override
  public void close() {
    timer.shutdownNow();
    servers.shutdown();
    try {
      servers.awaitTermination(2, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
