package io.asyncflow.worker.internal;

import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.OutageLog;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the worker when the server drains it, on its own thread, because the thread that receives
 * the drain must accept tasks or renew leases.
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
   * @param stop called once; may block
   */
  Drain(Runnable stop, ThreadFactory threads, Link link) {
    this.stop = stop;
    this.threads = threads;
    this.trouble = new OutageLog(log, "drain", link);
  }

  /**
   * Begins the drain, if it has not begun. If no thread can be started, nothing happens, and the
   * next answer with a drain tries again.
   */
  void begin() {
    if (!begun.compareAndSet(false, true)) {
      return;
    }
    try {
      Thread stopping = threads.newThread(stop);
      stopping.setName("asyncflow-drain");
      // Keeps the JVM alive until the last run has ended; no other thread may.
      stopping.setDaemon(false);
      stopping.start();
    } catch (OutOfMemoryError e) { // the JVM also throws it if it cannot create a thread
      trouble.failed("NO_THREAD", e.toString(), "tried again with the next answer that drains");
      begun.set(false);
    }
  }

  boolean begun() {
    return begun.get();
  }
}
