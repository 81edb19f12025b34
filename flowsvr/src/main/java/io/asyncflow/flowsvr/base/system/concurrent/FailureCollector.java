package io.asyncflow.flowsvr.base.system.concurrent;

import java.util.function.Supplier;

/**
 * Collects failures: every item is processed, then the first failure is thrown with the others
 * suppressed.
 *
 * <p>Not thread-safe.
 */
public final class FailureCollector {

  private RuntimeException first;

  /** Returns the value of {@code work}, or {@code otherwise} if it fails. */
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

  /** Runs {@code work} and collects its failure. */
  public void collect(Runnable work) {
    orElse(
        null,
        () -> {
          work.run();
          return null;
        });
  }

  /** Throws the first failure with the others suppressed; returns if there was none. */
  public void throwFirst() {
    if (first != null) {
      throw first;
    }
  }
}
