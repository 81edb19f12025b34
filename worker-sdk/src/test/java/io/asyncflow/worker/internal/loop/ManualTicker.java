package io.asyncflow.worker.internal.loop;

import java.time.Duration;

/** Time that moves when the test says so. */
public final class ManualTicker implements Ticker {

  private volatile long now = Duration.ofHours(1).toNanos();

  @Override
  public long nanos() {
    return now;
  }

  public void advance(Duration duration) {
    now += duration.toNanos();
  }

  public void advanceTo(long moment) {
    now = Math.max(now, moment);
  }
}
