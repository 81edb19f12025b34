package io.asyncflow.systemtest.scenario;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks at positions and tasks while they change, as any client may, ten times a second until it is
 * stopped. What it sees is in the history. Thread-safe.
 */
public final class Onlooker implements Runnable {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Scenario scenario;
  private final FlowClient client;
  private final Random random;
  private final CountDownLatch over = new CountDownLatch(1);

  /**
   * @param client whose calls are recorded
   * @param seed of which tasks it reads
   */
  public Onlooker(Scenario scenario, FlowClient client, long seed) {
    this.scenario = scenario;
    this.client = client;
    this.random = new Random(seed);
  }

  @Override
  public void run() {
    while (!isOver()) {
      try {
        scenario.lookAtPosition();
        scenario.anyAcknowledged(random).ifPresent(client::getTask);
      } catch (FlowException | IllegalStateException e) {
        // A fault; the calls of the client are in the history with what came of them.
      }
    }
  }

  private boolean isOver() {
    try {
      return over.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Ends it after the look under way. */
  public void stop() {
    over.countDown();
  }
}
