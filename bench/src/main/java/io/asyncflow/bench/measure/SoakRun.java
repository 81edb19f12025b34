package io.asyncflow.bench.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What was seen under a load that stayed the same.
 *
 * @param capacity tasks a second that were possible before
 * @param wanted tasks a second that were to be created
 * @param samples in the order of time, at least one
 */
public record SoakRun(double capacity, double wanted, List<SoakSample> samples) {

  /** Until caches are full and every path has been taken. */
  private static final double WARM_UP = 0.2;

  public SoakRun {
    samples = List.copyOf(samples);
  }

  SoakSample last() {
    return samples.get(samples.size() - 1);
  }

  double donePerSecond() {
    return last().done() / last().seconds();
  }

  /** Those that growth is judged by: without the first fifth of the time. */
  List<SoakSample> settled() {
    return samples.stream()
        .filter(sample -> sample.seconds() >= WARM_UP * last().seconds())
        .toList();
  }

  /** By how much something grew, as the line says that fits the settled samples best. */
  double growth(ToDoubleFunction<SoakSample> what) {
    List<SoakSample> settled = settled();
    double meanTime = settled.stream().mapToDouble(SoakSample::seconds).average().orElse(0);
    double mean = settled.stream().mapToDouble(what).average().orElse(0);
    double covariance = 0;
    double variance = 0;
    for (SoakSample sample : settled) {
      double time = sample.seconds() - meanTime;
      covariance += time * (what.applyAsDouble(sample) - mean);
      variance += time * time;
    }
    double span = settled.get(settled.size() - 1).seconds() - settled.get(0).seconds();
    return variance == 0 ? 0 : covariance / variance * span;
  }
}
