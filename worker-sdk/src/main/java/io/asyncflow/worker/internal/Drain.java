package io.asyncflow.worker.internal;

import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.OutageLog;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the worker leave when the server sends it away, on a thread of its own: who hears it has
 * tasks to take, or leases to renew.
 *
 * <p>Thread-safe.
 */
final class Drain {

  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  private final Runnable leave;
  private final ThreadFactory threads;
  private final OutageLog trouble;
  private final AtomicBoolean begun = new AtomicBoolean();

  /**
   * @param leave called once, and may take its time
   */
  Drain(Runnable leave, ThreadFactory threads, Link link) {
    this.leave = leave;
    this.threads = threads;
    this.trouble = new OutageLog(log, "leaving as flowsvr wants it", link);
  }

  /**
   * Begins it, if it has not begun. Nothing happens where no thread can be had for it: the next
   * answer sends the worker away once more.
   */
  void begin() {
    if (!begun.compareAndSet(false, true)) {
      return;
    }
    try {
      Thread leaving = threads.newThread(leave);
      leaving.setName("asyncflow-drain");
      // Keeps the JVM from ending before the last run has: nothing else may.
      leaving.setDaemon(false);
      leaving.start();
    } catch (OutOfMemoryError e) { // as the JVM calls a lack of threads, too
      trouble.failed("NO_THREAD", e.toString(), "tried again with the next answer that says so");
      begun.set(false);
    }
  }

  boolean begun() {
    return begun.get();
  }
}
