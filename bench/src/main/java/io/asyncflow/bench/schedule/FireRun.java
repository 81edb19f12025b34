package io.asyncflow.bench.schedule;

import org.HdrHistogram.Histogram;

/**
 * What became of the fires of one common second.
 *
 * @param holdable microseconds from the fire time to when a run could be held; empty if unknown
 * @param starts microseconds from the fire time to the first start of the handler
 * @param missed fires whose handler was never started
 * @param doubled starts beyond the first of a fire
 * @param early first starts more than {@value FireStarts#EARLY_MS} ms before the fire time
 */
public record FireRun(Histogram holdable, Histogram starts, int missed, int doubled, int early) {

  /** All of several runs. */
  static FireRun all(Iterable<FireRun> runs) {
    Histogram holdable = new Histogram(3);
    Histogram starts = new Histogram(3);
    int missed = 0;
    int doubled = 0;
    int early = 0;
    for (FireRun run : runs) {
      holdable.add(run.holdable);
      starts.add(run.starts);
      missed += run.missed;
      doubled += run.doubled;
      early += run.early;
    }
    return new FireRun(holdable, starts, missed, doubled, early);
  }
}
