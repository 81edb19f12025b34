package io.asyncflow.flowsvr.base.system.concurrent;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pools for work that is obsolete once the server stops. A pool that is shut down drops new work,
 * and its daemon threads do not keep the JVM alive.
 */
public final class DaemonThreads {

  private static final int IDLE_SECONDS = 30;

  private DaemonThreads() {}

  /** A pool of at most {@code count} threads, started on demand and ended when idle. */
  public static ThreadPoolExecutor pool(int count, String name) {
    return pool(count, named(name));
  }

  /** The same with threads of {@code factory}. */
  public static ThreadPoolExecutor pool(int count, ThreadFactory factory) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            factory,
            new DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** A factory of daemon threads {@code name-1}, {@code name-2} and so on. */
  public static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
