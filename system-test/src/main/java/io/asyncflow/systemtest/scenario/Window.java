package io.asyncflow.systemtest.scenario;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A stretch of time that belongs to the experiment itself: how long a fault lasts, or over how long
 * a rate is taken. What an experiment waits for is a condition, and never a window.
 */
public final class Window {

  private Window() {}

  /**
   * Returns when the time has passed, by the monotonic clock.
   *
   * @throws IllegalStateException if the thread is interrupted; it stays so
   */
  public static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    try {
      for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.sleep(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted within a window of " + time, e);
    }
  }
}
