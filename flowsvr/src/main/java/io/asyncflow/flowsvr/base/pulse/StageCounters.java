package io.asyncflow.flowsvr.base.pulse;

import io.asyncflow.flowsvr.base.pulse.PulseMeters.Span;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Durations;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the tasks of one stage, for Prometheus and for {@code t_metric}. The counts only rise, so
 * what is to be written is a difference, and no count is lost to a reader. Thread-safe, but for
 * {@link #drain}.
 */
final class StageCounters {

  private final PulseMeters.Series meters;
  private final LongAdder[] counts = new LongAdder[Count.values().length];
  private final Durations runs = new Durations();
  private final Durations waits = new Durations();
  private final long[] drained = new long[counts.length];
  private int quietDrains;

  StageCounters(PulseMeters.Series meters) {
    this.meters = meters;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  void count(Count count, int times) {
    meters.count(count, times);
    counts[count.ordinal()].add(times);
  }

  void ran(long ms) {
    meters.took(Span.RUN, ms);
    runs.add(ms);
  }

  void waited(long ms) {
    meters.took(Span.WAIT, ms);
    waits.add(ms);
  }

  /** A task has ended in this stage, so long after its creation; {@code t_metric} has no column. */
  void lived(long ms) {
    meters.took(Span.LIFE, ms);
  }

  /** What has been counted since the last drain; empty for nothing. */
  Optional<Numbers> drain() {
    Numbers news = new Numbers();
    boolean any = false;
    for (Count count : Count.values()) {
      int i = count.ordinal();
      long sum = counts[i].sum();
      any |= sum > drained[i];
      news.add(count, sum - drained[i]);
      drained[i] = sum;
    }
    quietDrains = any ? 0 : quietDrains + 1;
    if (!any) {
      return Optional.empty();
    }
    // What was measured is counted next, and is news together with its count.
    runs.drainTo(news.runs());
    waits.drainTo(news.waits());
    return Optional.of(news);
  }

  /** How many drains in a row found nothing. */
  int quietDrains() {
    return quietDrains;
  }
}
