package io.asyncflow.rules.schedule;

import java.util.OptionalLong;

/** Fire times each second up to one from which there is no way on: what no library may do to us. */
public final class StuckTimes extends FireTimes {

  private final long last;
  private final long step;

  /**
   * @param last epoch ms
   * @param step from the last one to the one that is said to be the next, ms; 0 or less
   */
  public StuckTimes(long last, long step) {
    this.last = last;
    this.step = step;
  }

  @Override
  OptionalLong find(long afterMs) {
    return OptionalLong.of(afterMs < last ? afterMs + 1_000 : last + step);
  }

  @Override
  public Kind kind() {
    return Kind.FIXED;
  }

  @Override
  public long firesPerHour() {
    return 1;
  }
}
