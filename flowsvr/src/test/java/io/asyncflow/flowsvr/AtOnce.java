package io.asyncflow.flowsvr;

import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Does the same from many threads that begin together. */
public final class AtOnce {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private AtOnce() {}

  /** What one of the threads does. */
  public interface Work<T> {
    T run(int number) throws Exception;
  }

  /**
   * Returns what each thread's work came to, in the order of their numbers, which begin with 0.
   *
   * @throws AssertionError with the first failure, once all are done
   */
  public static <T> List<T> from(int threads, Work<T> work) {
    return from(threads, PATIENCE, work);
  }

  /**
   * Repeats what found no free connection, as callers of a busy server do; the work must do nothing
   * more when it is repeated.
   */
  public static <T> T patiently(Supplier<T> work) {
    while (true) {
      try {
        return work.get();
      } catch (RuntimeException e) {
        if (!isFullPool(e)) {
          throw e;
        }
      }
    }
  }

  /** That is a matter of this machine's speed, and answered with 8090. */
  public static boolean isFullPool(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLTransientConnectionException) {
        return true;
      }
    }
    return false;
  }

  /** The same for work that may take so long. */
  public static <T> List<T> from(int threads, Duration patience, Work<T> work) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CyclicBarrier start = new CyclicBarrier(threads);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        futures.add(
            pool.submit(
                () -> {
                  start.await();
                  return work.run(number);
                }));
      }
      pool.shutdown();
      if (!pool.awaitTermination(patience.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("not done after " + patience.toSeconds() + " s");
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError("a thread failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } finally {
      pool.shutdownNow();
    }
  }
}
