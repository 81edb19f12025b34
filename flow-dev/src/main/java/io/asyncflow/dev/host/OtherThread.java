package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Work on a thread of its own, and not of the common pool: such a pool has one thread on a machine
 * of two cores, and all else that is given to it would wait for as long as the work does.
 */
public final class OtherThread {
  private OtherThread() {}

  public static <T> CompletableFuture<T> begin(String name, Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> daemon(name, task).start());
  }

  /** A thread that does not keep the JVM from its end. */
  public static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Waits for the outcome; a failure is the work's own exception and not one round it. */
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
