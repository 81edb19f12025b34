package io.asyncflow.worker.internal;

import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.OutageLog;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the worker when the server drains it, on a thread of its own: the thread that hears it has
 * tasks to take, or leases to renew.
 *
 * <p>Thread-safe.
 */
final class Drain {

  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  private final Runnable stop;
  private final ThreadFactory threads;
  private final OutageLog trouble;
  private final AtomicBoolean begun = new AtomicBoolean();

  /**
   * @param stop called once, and may take its time
   */
  Drain(Runnable stop, ThreadFactory threads, Link link) {
    this.stop = stop;
    this.threads = threads;
    this.trouble = new OutageLog(log, "drain", link);
  }

  /**
   * Begins it, if it has not begun. Nothing happens where no thread can be had for it: the next
   * answer drains the worker once more.
   */
  void begin() {
    if (!begun.compareAndSet(false, true)) {
      return;
    }
    try {
      Thread stopping = threads.newThread(stop);
      stopping.setName("asyncflow-drain");
      // Keeps the JVM from ending before the last run has: nothing else may.
      stopping.setDaemon(false);
      stopping.start();
    } catch (OutOfMemoryError e) { // as the JVM calls a lack of threads, too
      trouble.failed("NO_THREAD", e.toString(), "tried again with the next answer that says so");
      begun.set(false);
    }
  }

  boolean begun() {
    return begun.get();
  }
}
