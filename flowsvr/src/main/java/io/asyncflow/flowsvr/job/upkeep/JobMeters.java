package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.system.metric.ScrapedMetrics;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * How many jobs are in which state, of those that go on and those that failed. Only the leader has
 * these gauges. They are read at a scrape, by one statement every {@link #AGE} at most.
 */
@Component
class JobMeters {

  private static final Duration AGE = Duration.ofSeconds(14); // less than a common interval
  private static final String NAME = "asyncflow_jobs";

  private final LeaderElection election;
  private final TimedCache<Map<JobState, Long>> counts;

  JobMeters(JobStateStore store, LeaderElection election, Node node, ScrapedMetrics metrics) {
    this.election = election;
    this.counts = new TimedCache<>(Map.of(), store::counts, node::nanoTime);
    metrics.add(List.of(NAME), this::snapshots);
  }

  private List<MetricSnapshot> snapshots() {
    if (election.term().isEmpty()) {
      return List.of();
    }
    GaugeSnapshot.Builder gauge =
        GaugeSnapshot.builder()
            .name(NAME)
            .help("jobs that go on or have failed, by their state; a thousand at most");
    counts
        .within(AGE)
        .forEach(
            (state, jobs) ->
                gauge.dataPoint(
                    GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("state", state.name().toLowerCase(Locale.ROOT)))
                        .value(jobs)
                        .build()));
    return List.of(gauge.build());
  }
}
