package io.asyncflow.flowsvr.pulse;

import io.asyncflow.flowsvr.pulse.count.Count;
import io.asyncflow.flowsvr.pulse.count.Durations.ByObjective;
import io.asyncflow.flowsvr.pulse.count.Objectives;
import io.asyncflow.flowsvr.system.metric.ScrapedMetrics;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * What {@link TaskPulse} has counted, as metrics of each type and stage. They are made at a scrape;
 * nothing is counted for them alone.
 */
@Component
class PulseMeters {

  private static final double[] BOUNDS = Objectives.seconds();

  private static final List<Counts> COUNTS =
      List.of(
          new Counts("asyncflow_tasks_submitted", "tasks that were created", Count.CREATED),
          new Counts("asyncflow_tasks_held", "holds of tasks by workers", Count.HELD),
          new Counts(
              "asyncflow_tasks_moved", "tasks whose run led to another stage", Count.MOVED_ON),
          new Counts(
              "asyncflow_tasks_retried",
              "runs that failed by a report, with a retry to come",
              Count.RETRIED),
          new Counts(
              "asyncflow_tasks_returned",
              "holds that were given back without a result, by RELEASE or SNOOZE",
              Count.GIVEN_BACK),
          new Counts(
              "asyncflow_tasks_ended",
              "tasks that ended, by their status",
              "status",
              Map.of(
                  "success", Count.SUCCEEDED,
                  "failed", Count.FAILED,
                  "cancelled", Count.CANCELLED)),
          new Counts(
              "asyncflow_leases_expired",
              "leases that ended without a report: of lost workers (or ended by an operator), of runs"
                  + " that took too long, and the last ones of tasks that were lost too often",
              "verdict",
              Map.of(
                  "lost", Count.LOST,
                  "timed_out", Count.TIMED_OUT,
                  "poison", Count.POISONED)));

  private static final List<Spreads> SPREADS =
      List.of(
          new Spreads(
              "asyncflow_tasks_wait_seconds",
              "from when a task was due to its hold",
              StageTotals::waits),
          new Spreads(
              "asyncflow_tasks_run_seconds",
              "from a hold to the report of its result, or to its time-out",
              StageTotals::runs),
          new Spreads(
              "asyncflow_tasks_life_seconds",
              "from the creation of a task to its success or failure, by its last stage",
              StageTotals::lives));

  PulseMeters(TaskPulse pulse, ScrapedMetrics metrics) {
    List<String> names =
        Stream.concat(COUNTS.stream().map(Counts::name), SPREADS.stream().map(Spreads::name))
            .toList();
    metrics.add(names, () -> snapshots(pulse.totals()));
  }

  /**
   * Counters of one name.
   *
   * @param label that tells them apart; {@code null} if there is one
   */
  private record Counts(String name, String help, String label, Map<String, Count> values) {

    Counts(String name, String help, Count count) {
      this(name, help, null, Map.of("", count));
    }

    MetricSnapshot snapshot(Map<Labels, StageTotals> totals) {
      CounterSnapshot.Builder snapshot = CounterSnapshot.builder().name(name).help(help);
      totals.forEach(
          (labels, sums) ->
              values.forEach(
                  (value, count) ->
                      snapshot.dataPoint(
                          CounterDataPointSnapshot.builder()
                              .labels(label == null ? labels : labels.add(label, value))
                              .value(sums.count(count))
                              .build())));
      return snapshot.build();
    }
  }

  /** Histograms of one name. */
  private record Spreads(String name, String help, Function<StageTotals, ByObjective> of) {

    MetricSnapshot snapshot(Map<Labels, StageTotals> totals) {
      HistogramSnapshot.Builder snapshot =
          HistogramSnapshot.builder().name(name).help(help).unit(Unit.SECONDS);
      totals.forEach(
          (labels, sums) -> {
            ByObjective spread = of.apply(sums);
            if (LongStream.of(spread.counts()).sum() > 0) {
              snapshot.dataPoint(
                  HistogramDataPointSnapshot.builder()
                      .labels(labels)
                      .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, spread.counts()))
                      .sum(spread.sumSeconds())
                      .build());
            }
          });
      return snapshot.build();
    }
  }

  private static List<MetricSnapshot> snapshots(Map<Labels, StageTotals> totals) {
    List<MetricSnapshot> snapshots = new ArrayList<>();
    COUNTS.forEach(counts -> snapshots.add(counts.snapshot(totals)));
    SPREADS.forEach(spreads -> snapshots.add(spreads.snapshot(totals)));
    return snapshots;
  }
}
