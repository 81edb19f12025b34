package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.leader.LeaderTerm;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TypeSeries;
import io.asyncflow.flowsvr.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.system.metric.ScrapedMetrics;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * How many jobs are in which state, of those that go on and those that failed, and how many have
 * ended. Only the leader has these. They are read at a scrape, by three statements every {@link
 * #AGE} at most.
 */
@Component
class JobMeters {

  private static final Duration AGE = Duration.ofSeconds(14); // less than a common interval
  private static final String JOBS = "asyncflow_jobs";
  private static final String ENDED = "asyncflow_jobs_ended";

  private record Numbers(Map<JobState, Long> states, Map<String, Map<JobState, Long>> ends) {}

  private final LeaderElection election;
  private final TypeSeries types = new TypeSeries();
  private final TimedCache<Numbers> numbers;

  /** Of this server, the last in which it was asked. */
  private volatile long term;

  JobMeters(JobStateStore store, LeaderElection election, Node node, ScrapedMetrics metrics) {
    this.election = election;
    JobEnds ends = new JobEnds(store);
    this.numbers =
        new TimedCache<>(
            new Numbers(Map.of(), Map.of()),
            () -> new Numbers(store.counts(), ends.read(term)),
            node::nanoTime);
    metrics.add(List.of(JOBS, ENDED), this::snapshots);
  }

  private List<MetricSnapshot> snapshots() {
    Optional<LeaderTerm> leads = election.term();
    if (leads.isEmpty()) {
      return List.of();
    }
    term = leads.get().number();
    Numbers now = numbers.within(AGE);
    return List.of(states(now.states()), ended(now.ends()));
  }

  private static MetricSnapshot states(Map<JobState, Long> states) {
    GaugeSnapshot.Builder gauge =
        GaugeSnapshot.builder()
            .name(JOBS)
            .help("jobs that go on or have failed, by their state; a thousand at most");
    states.forEach(
        (state, jobs) ->
            gauge.dataPoint(
                GaugeDataPointSnapshot.builder()
                    .labels(Labels.of("state", label(state)))
                    .value(jobs)
                    .build()));
    return gauge.build();
  }

  private MetricSnapshot ended(Map<String, Map<JobState, Long>> ends) {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder()
            .name(ENDED)
            .help("jobs that ended while the server led, by their state");
    Map<String, Map<JobState, Long>> shown = new TreeMap<>();
    ends.forEach(
        (type, ofType) ->
            ofType.forEach(
                (state, jobs) ->
                    shown
                        .computeIfAbsent(types.of(type), first -> new EnumMap<>(JobState.class))
                        .merge(state, jobs, Long::sum)));
    shown.forEach(
        (type, ofType) ->
            ofType.forEach(
                (state, jobs) ->
                    counter.dataPoint(
                        CounterDataPointSnapshot.builder()
                            .labels(Labels.of("state", label(state), "type", type))
                            .value(jobs)
                            .build())));
    return counter.build();
  }

  private static String label(JobState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
