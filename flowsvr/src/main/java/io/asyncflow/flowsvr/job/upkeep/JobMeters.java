package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.leader.LeaderTerm;
import io.asyncflow.flowsvr.pulse.count.Objectives;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TypeSeries;
import io.asyncflow.flowsvr.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.system.metric.ScrapedMetrics;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * How many jobs are in which state, of those that go on and those that failed, how many have ended,
 * and how long they took. Only the leader has these. They are read at a scrape, by three statements
 * every {@link #AGE} at most; the states also where it takes too long to read the ends.
 */
@Component
class JobMeters {

  private static final Duration AGE = Duration.ofSeconds(14); // less than a common interval
  private static final String JOBS = "asyncflow_jobs";
  private static final String ENDED = "asyncflow_jobs_ended";
  private static final String LIFE = "asyncflow_jobs_life_seconds";
  private static final double[] BOUNDS = Objectives.seconds();

  private final LeaderElection election;
  private final TypeSeries types = new TypeSeries();
  private final TimedCache<Map<JobState, Long>> states;
  private final TimedCache<Map<String, EndedJobs>> ends;

  /** Of this server, the last in which it was asked. */
  private volatile long term;

  JobMeters(JobStateStore store, LeaderElection election, Node node, ScrapedMetrics metrics) {
    this.election = election;
    JobEnds counted = new JobEnds(store);
    this.states = new TimedCache<>(Map.of(), store::counts, node::nanoTime);
    this.ends = new TimedCache<>(Map.of(), () -> counted.read(term), node::nanoTime);
    metrics.add(List.of(JOBS), this::inStates);
    metrics.add(List.of(ENDED, LIFE), this::ended);
  }

  List<MetricSnapshot> inStates() {
    return election.term().isEmpty() ? List.of() : List.of(states(states.within(AGE)));
  }

  List<MetricSnapshot> ended() {
    Optional<LeaderTerm> leads = election.term();
    if (leads.isEmpty()) {
      return List.of();
    }
    term = leads.get().number();
    Map<String, EndedJobs> shown = bySeries(ends.within(AGE));
    return List.of(ended(shown), lives(shown));
  }

  /** With the types that share series added up. */
  private Map<String, EndedJobs> bySeries(Map<String, EndedJobs> ends) {
    Map<String, EndedJobs> shown = new TreeMap<>();
    ends.forEach(
        (type, ended) ->
            shown.computeIfAbsent(types.of(type), first -> new EndedJobs()).addAll(ended));
    return shown;
  }

  private static MetricSnapshot states(Map<JobState, Long> states) {
    return ScrapedMetrics.gauge(
        JOBS,
        "jobs that go on or have failed, by their state; a thousand at most",
        states,
        state -> Labels.of("state", label(state)),
        Long::doubleValue);
  }

  private static MetricSnapshot ended(Map<String, EndedJobs> ends) {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder()
            .name(ENDED)
            .help("jobs that ended while the server led, by their state");
    ends.forEach(
        (type, ended) ->
            ended
                .states()
                .forEach(
                    (state, jobs) ->
                        counter.dataPoint(
                            CounterDataPointSnapshot.builder()
                                .labels(Labels.of("state", label(state), "type", type))
                                .value(jobs)
                                .build())));
    return counter.build();
  }

  private static MetricSnapshot lives(Map<String, EndedJobs> ends) {
    HistogramSnapshot.Builder histogram =
        HistogramSnapshot.builder()
            .name(LIFE)
            .help("from the creation of a job to its success or failure, while the server led")
            .unit(Unit.SECONDS);
    ends.forEach(
        (type, ended) ->
            histogram.dataPoint(
                HistogramDataPointSnapshot.builder()
                    .labels(Labels.of("type", type))
                    .classicHistogramBuckets(
                        ClassicHistogramBuckets.of(BOUNDS, ended.lives().counts()))
                    .sum(ended.lives().sumSeconds())
                    .build()));
    return histogram.build();
  }

  private static String label(JobState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
