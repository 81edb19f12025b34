package io.asyncflow.flowsvr.pulse;

import io.asyncflow.flowsvr.pulse.count.Count;
import io.asyncflow.flowsvr.pulse.count.Durations;
import io.asyncflow.flowsvr.pulse.count.Durations.Spread;
import io.asyncflow.flowsvr.pulse.count.Numbers;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the tasks of one stage. They only rise, so what has happened since a read is a difference,
 * and no count is lost to a reader. Thread-safe, but for {@link #news}.
 */
final class StageCounters {

  private final LongAdder[] counts = new LongAdder[Count.values().length];
  private final Durations runs = new Durations();
  private final Durations waits = new Durations();
  private final Durations lives = new Durations();

  private final long[] taken = new long[counts.length];
  private int quietLooks;

  StageCounters() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  void count(Count count, int times) {
    counts[count.ordinal()].add(times);
  }

  void ran(long ms) {
    runs.add(ms);
  }

  void waited(long ms) {
    waits.add(ms);
  }

  /** A task has ended in this stage, so long after its creation. */
  void lived(long ms) {
    lives.add(ms);
  }

  /**
   * What has been counted in some time.
   *
   * @param counts by the ordinals of {@link Count}
   */
  record News(long[] counts, Spread runs, Spread waits, Spread lives) {

    /** What {@code t_metric} keeps of it. */
    Numbers numbers() {
      Numbers numbers = new Numbers();
      for (Count count : Count.values()) {
        numbers.add(count, counts[count.ordinal()]);
      }
      runs.addTo(numbers.runs());
      waits.addTo(numbers.waits());
      return numbers;
    }
  }

  /**
   * What has been counted since the last look that took it; empty for nothing.
   *
   * @param takes whether the next look begins here
   */
  Optional<News> news(boolean takes) {
    long[] more = new long[counts.length];
    boolean any = false;
    for (int i = 0; i < counts.length; i++) {
      long sum = counts[i].sum();
      more[i] = sum - taken[i];
      any |= more[i] > 0;
      if (takes) {
        taken[i] = sum;
      }
    }
    if (takes) {
      quietLooks = any ? 0 : quietLooks + 1;
    }
    // What was measured is counted next, and is news together with its count.
    return any
        ? Optional.of(new News(more, runs.news(takes), waits.news(takes), lives.news(takes)))
        : Optional.empty();
  }

  /** How many times in a row there was nothing to take. */
  int quietLooks() {
    return quietLooks;
  }
}
