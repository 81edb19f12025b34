package io.asyncflow.worker.internal.loop;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Shortens waits by a random part, so that workers that started together, or lost the same server,
 * do not stay in step.
 *
 * @param chance returns a random number from 0 to 1
 */
public record Jitter(DoubleSupplier chance) {

  /** No jitter; for tests. */
  public static final Jitter NONE = new Jitter(() -> 0);

  public static Jitter random() {
    return new Jitter(() -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * @param part the greatest part of the wait to remove, 0 to 1
   */
  public Duration shorten(Duration wait, double part) {
    return wait.minusMillis((long) (chance.getAsDouble() * part * wait.toMillis()));
  }
}
