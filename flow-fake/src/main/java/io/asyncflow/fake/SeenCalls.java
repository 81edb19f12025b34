package io.asyncflow.fake;

import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The calls of workers that a {@link FakeFlowServer} has seen, in order, guarded by its lock; and
 * the waits of tests.
 */
final class SeenCalls {

  final List<HoldRequest> holds = new ArrayList<>();
  final List<Report> reports = new ArrayList<>();
  final List<Report> accepted = new ArrayList<>();
  final List<Heartbeat> heartbeats = new ArrayList<>();
  private final FakeFlowServer server;

  SeenCalls(FakeFlowServer server) {
    this.server = server;
  }

  /** Waits until the condition is true; false after {@code atMost}. */
  boolean await(BooleanSupplier condition, Duration atMost) throws InterruptedException {
    synchronized (server) {
      long end = System.nanoTime() + atMost.toNanos();
      while (!condition.getAsBoolean()) {
        long remaining = (end - System.nanoTime()) / 1_000_000;
        if (remaining <= 0) {
          return false;
        }
        server.wait(remaining);
      }
      return true;
    }
  }
}
