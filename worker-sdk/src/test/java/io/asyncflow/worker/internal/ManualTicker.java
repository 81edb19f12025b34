package io.asyncflow.worker.internal;

import java.time.Duration;

/** Time that moves when the test says so. */
final class ManualTicker implements Ticker {

  private volatile long now = Duration.ofHours(1).toNanos();

  @Override
  public long nanos() {
    return now;
  }

  void advance(Duration duration) {
    now += duration.toNanos();
  }

  void advanceTo(long moment) {
    now = Math.max(now, moment);
  }
}
