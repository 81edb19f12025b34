package io.asyncflow.flowsvr.pulse;

import io.asyncflow.flowsvr.pulse.StageCounters.News;
import io.asyncflow.flowsvr.pulse.count.Count;
import io.asyncflow.flowsvr.pulse.count.Durations.ByObjective;

/** What has been counted of a stage since the start of this server. Not thread-safe. */
final class StageTotals {

  private final long[] counts = new long[Count.values().length];
  private final ByObjective runs = new ByObjective();
  private final ByObjective waits = new ByObjective();
  private final ByObjective lives = new ByObjective();

  void add(News news) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += news.counts()[i];
    }
    runs.add(news.runs());
    waits.add(news.waits());
    lives.add(news.lives());
  }

  StageTotals copy() {
    StageTotals copy = new StageTotals();
    System.arraycopy(counts, 0, copy.counts, 0, counts.length);
    copy.runs.addAll(runs);
    copy.waits.addAll(waits);
    copy.lives.addAll(lives);
    return copy;
  }

  long count(Count count) {
    return counts[count.ordinal()];
  }

  ByObjective runs() {
    return runs;
  }

  ByObjective waits() {
    return waits;
  }

  ByObjective lives() {
    return lives;
  }
}
