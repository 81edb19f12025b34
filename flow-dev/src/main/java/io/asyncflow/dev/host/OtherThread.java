package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Runs work on its own thread instead of the common pool, which has one thread on a machine with
 * two cores and would block other work.
 */
public final class OtherThread {
  private OtherThread() {}

  public static <T> CompletableFuture<T> begin(String name, Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> daemon(name, task).start());
  }

  /** As an {@code Executor}, for a future that may block and needs no name. */
  public static void start(Runnable work) {
    daemon("other", work).start();
  }

  /** Creates a daemon thread. */
  public static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Waits for the result; throws the work's own exception, unwrapped. */
  public static <T> T resultOf(CompletableFuture<T> work) {
    try {
      return work.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof DevException sentence) {
        throw sentence;
      }
      throw e;
    }
  }
}
