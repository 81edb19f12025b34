package io.asyncflow.flowsvr.governance;

import java.util.function.Supplier;

/**
 * Lets a job go on with the next table when one fails, and fail in the end all the same: one broken
 * table must not keep all others from being governed.
 *
 * <p>For one thread.
 */
final class Failures {

  private RuntimeException first;

  /** What {@code work} returns, or {@code otherwise} if it fails. */
  <T> T orElse(T otherwise, Supplier<T> work) {
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

  void throwFirst() {
    if (first != null) {
      throw first;
    }
  }
}
