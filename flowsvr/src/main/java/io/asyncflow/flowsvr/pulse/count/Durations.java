package io.asyncflow.flowsvr.pulse.count;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations. The counts only rise, so what has come since a look is a difference, and no
 * duration is lost to a reader. Thread-safe, but for {@link #news}.
 */
public final class Durations {

  private final AtomicIntegerArray cells = new AtomicIntegerArray(Cells.NUMBER);
  private final LongAdder sumMs = new LongAdder();

  /** As of the last look that took what it saw. */
  private final int[] taken = new int[Cells.NUMBER];

  private long takenMs;

  /** Less than 0 counts as 0. */
  public void add(long ms) {
    cells.incrementAndGet(Cells.of(ms));
    sumMs.add(Math.max(0, ms));
  }

  /**
   * What has been added since the last look that took it.
   *
   * @param takes whether the next look begins here
   */
  public Spread news(boolean takes) {
    int[] counts = new int[Cells.NUMBER];
    for (int i = 0; i < counts.length; i++) {
      int now = cells.get(i);
      counts[i] = now - taken[i]; // right even if it ran over the largest number
      if (takes) {
        taken[i] = now;
      }
    }
    long ms = sumMs.sum();
    Spread news = new Spread(counts, ms - takenMs);
    if (takes) {
      takenMs = ms;
    }
    return news;
  }

  /** Some durations. */
  public static final class Spread {
    private final int[] counts;
    private final long sumMs;

    private Spread(int[] counts, long sumMs) {
      this.counts = counts;
      this.sumMs = sumMs;
    }

    public void addTo(Histogram histogram) {
      for (int i = 0; i < counts.length; i++) {
        histogram.add(Cells.bucketOf(i), counts[i]);
      }
    }
  }

  /** How many durations met which of the {@link Objectives} first. Not thread-safe. */
  public static final class ByObjective {
    private final long[] counts = new long[Objectives.MS.length + 1];
    private long sumMs;

    public void add(Spread spread) {
      for (int i = 0; i < spread.counts.length; i++) {
        counts[Cells.objectiveOf(i)] += spread.counts[i];
      }
      sumMs += spread.sumMs;
    }

    public void addAll(ByObjective other) {
      for (int i = 0; i < counts.length; i++) {
        counts[i] += other.counts[i];
      }
      sumMs += other.sumMs;
    }

    /** As many as {@link Objectives#seconds}; not cumulative. */
    public long[] counts() {
      return counts.clone();
    }

    public double sumSeconds() {
      return sumMs / 1_000.0;
    }
  }
}
