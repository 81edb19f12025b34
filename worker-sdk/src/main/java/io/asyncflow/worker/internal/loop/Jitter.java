package io.asyncflow.worker.internal.loop;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Makes waits a little shorter by chance, so that workers that were started together, or that lost
 * the same server, do not all come at the same moment for ever.
 *
 * @param chance from 0 to 1, each time anew
 */
public record Jitter(DoubleSupplier chance) {

  /** Every wait as long as it is; for tests. */
  public static final Jitter NONE = new Jitter(() -> 0);

  public static Jitter random() {
    return new Jitter(() -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * @param part of the wait that may be taken away, 0 to 1
   */
  public Duration shorten(Duration wait, double part) {
    return wait.minusMillis((long) (chance.getAsDouble() * part * wait.toMillis()));
  }
}
