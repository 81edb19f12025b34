package io.asyncflow.worker.internal;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes one waiting thread. A ring that comes while nobody waits is kept, several are one: what has
 * to be done is looked up after waking, never carried by the ring.
 */
final class Bell {

  private final Semaphore rung = new Semaphore(0);

  void ring() {
    if (rung.availablePermits() == 0) {
      rung.release();
    }
  }

  /** Waits until it is rung, or for so long. */
  void await(Duration atMost) throws InterruptedException {
    if (rung.tryAcquire(nanosOf(atMost), TimeUnit.NANOSECONDS)) {
      rung.drainPermits();
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
