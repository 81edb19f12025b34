package io.asyncflow.bench.schedule;

import io.asyncflow.bench.measure.Latency;
import java.util.List;
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
  static FireRun all(List<FireRun> runs) {
    return new FireRun(
        Latency.together(runs.stream().map(FireRun::holdable).toList()),
        Latency.together(runs.stream().map(FireRun::starts).toList()),
        runs.stream().mapToInt(FireRun::missed).sum(),
        runs.stream().mapToInt(FireRun::doubled).sum(),
        runs.stream().mapToInt(FireRun::early).sum());
  }
}
