package io.asyncflow.flowsvr.system.concurrent;

import java.util.function.Supplier;

/**
 * Lets work go on with the next table, or whatever it goes through, when one fails, and fail in the
 * end all the same: one that is broken must not keep all others from being looked after.
 *
 * <p>For one thread.
 */
public final class FailureCollector {

  private RuntimeException first;

  /** What {@code work} returns, or {@code otherwise} if it fails. */
  public <T> T orElse(T otherwise, Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (first == null) {
        first = e;
      } else if (first != e) {
        first.addSuppressed(e);
      }
      return otherwise;
    }
  }

  /** Runs {@code work}, and goes on if it fails. */
  public void collect(Runnable work) {
    orElse(
        null,
        () -> {
          work.run();
          return null;
        });
  }

  /** Throws the first failure, the others suppressed in it; does nothing if there was none. */
  public void throwFirst() {
    if (first != null) {
      throw first;
    }
  }
}
