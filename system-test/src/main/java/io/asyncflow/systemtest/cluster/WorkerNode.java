package io.asyncflow.systemtest.cluster;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.function.Supplier;

/** A process of workers. */
public final class WorkerNode extends Node {

  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  private final String ready;

  /**
   * @param ready what it prints when it polls
   */
  WorkerNode(Supplier<NodeProcess> starting, String ready) {
    super(starting);
    this.ready = ready;
  }

  /** The id by which servers and histories know this start of it. */
  public String workerId() {
    return name() + "-" + pid();
  }

  @Override
  public void awaitReady() {
    await(name() + " is ready")
        .atMost(START_PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              process().requireAlive();
              return process().hasPrinted(ready);
            });
  }
}
