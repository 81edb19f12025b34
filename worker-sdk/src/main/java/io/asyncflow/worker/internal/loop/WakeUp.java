package io.asyncflow.worker.internal.loop;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes one waiting thread. A signal without a waiting thread is kept; several signals count as
 * one, because the thread looks up its work after waking.
 */
public final class WakeUp {

  private final Semaphore signalled = new Semaphore(0);

  public void signal() {
    if (signalled.availablePermits() == 0) {
      signalled.release();
    }
  }

  /** Waits for a signal, at most this long. */
  public void await(Duration atMost) throws InterruptedException {
    if (signalled.tryAcquire(nanosOf(atMost), TimeUnit.NANOSECONDS)) {
      signalled.drainPermits();
    }
  }

  private static long nanosOf(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException longerThanTwoHundredYears) {
      return Long.MAX_VALUE;
    }
  }
}
