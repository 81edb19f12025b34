package io.asyncflow.flowsvr.system.concurrent;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pools for work that nobody needs any more once the server stops: what comes then is dropped, and
 * their threads keep no JVM from ending.
 */
public final class DaemonThreads {

  private static final int IDLE_SECONDS = 30;

  private DaemonThreads() {}

  /** At most so many threads, each made when it is first needed, and given up when it idles. */
  public static ThreadPoolExecutor pool(int count, String name) {
    return pool(count, named(name));
  }

  /** The same with threads that {@code factory} makes. */
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

  /** Makes threads {@code name-1}, {@code name-2} and so on. */
  public static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
