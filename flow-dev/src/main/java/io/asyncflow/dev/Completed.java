package io.asyncflow.dev;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The outcome of work on another thread, with its own exception and not one round it. */
final class Completed {
  private Completed() {}

  static <T> T resultOf(CompletableFuture<T> work) {
    try {
      return work.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof EngineException sentence) {
        throw sentence;
      }
      throw e;
    }
  }
}
