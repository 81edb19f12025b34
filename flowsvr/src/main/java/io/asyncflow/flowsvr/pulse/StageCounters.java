package io.asyncflow.flowsvr.pulse;

import io.asyncflow.flowsvr.pulse.count.Count;
import io.asyncflow.flowsvr.pulse.count.Histogram;
import io.asyncflow.flowsvr.pulse.count.Numbers;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the tasks of one stage. They only rise, so what has happened since a read is a difference,
 * and no count is lost to a reader. Thread-safe, but for {@link #drain}.
 */
final class StageCounters {

  private final LongAdder[] counts = new LongAdder[Count.values().length];
  private final AtomicIntegerArray runs = new AtomicIntegerArray(Histogram.BUCKETS);
  private final AtomicIntegerArray waits = new AtomicIntegerArray(Histogram.BUCKETS);

  /** What was drained; used by one thread. */
  private final long[] drained = new long[counts.length];

  private final int[] drainedRuns = new int[Histogram.BUCKETS];
  private final int[] drainedWaits = new int[Histogram.BUCKETS];
  private int quietDrains;

  StageCounters() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  void count(Count count, int times) {
    counts[count.ordinal()].add(times);
  }

  void ran(long ms) {
    runs.incrementAndGet(Histogram.bucketOf(ms));
  }

  void waited(long ms) {
    waits.incrementAndGet(Histogram.bucketOf(ms));
  }

  /** What has been counted since the last call; empty for nothing. */
  Optional<Numbers> drain() {
    Numbers numbers = new Numbers();
    boolean any = false;
    for (Count count : Count.values()) {
      long sum = counts[count.ordinal()].sum();
      long more = sum - drained[count.ordinal()];
      drained[count.ordinal()] = sum;
      numbers.add(count, more);
      any |= more > 0;
    }
    if (!any) {
      quietDrains++; // what ran or waited was counted before it was measured
      return Optional.empty();
    }
    quietDrains = 0;
    drain(runs, drainedRuns, numbers.runs());
    drain(waits, drainedWaits, numbers.waits());
    return Optional.of(numbers);
  }

  /** A bucket that ran over the largest number still has the right difference. */
  private static void drain(AtomicIntegerArray buckets, int[] before, Histogram into) {
    for (int i = 0; i < before.length; i++) {
      int now = buckets.get(i);
      into.add(i, now - before[i]);
      before[i] = now;
    }
  }

  /** How many times in a row there was nothing to drain. */
  int quietDrains() {
    return quietDrains;
  }
}
