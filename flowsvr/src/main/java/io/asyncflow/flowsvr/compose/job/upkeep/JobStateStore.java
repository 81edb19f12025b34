package io.asyncflow.flowsvr.compose.job.upkeep;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.base.system.metric.ScrapedMetrics;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * How many jobs are in which state, of those that go on and those that failed. Only the leader has
 * these. They are read at a scrape, by one statement every {@link #AGE} at most.
 */
@Component
class JobStateStore {

  private static final Duration AGE = Duration.ofSeconds(14); // less than a common interval
  private static final String JOBS = "asyncflow_jobs";
  private static final int MOST = 1_000;

  private static final String COUNT =
      Stream.of(JobState.values())
          .filter(state -> state != JobState.SUCCESS && state != JobState.CANCELLED)
          .map(
              state ->
                  """
                  SELECT '%1$s' AS state, COUNT(*) AS jobs
                  FROM (SELECT 1
                        FROM t_job FORCE INDEX (idx_state)
                        WHERE state = '%1$s'
                        LIMIT %2$s) some
                  """
                      .formatted(state.name(), MOST))
          .collect(joining("UNION ALL\n"));

  private final ReadDatabase database;
  private final LeaderElection election;
  private final TimedCache<Map<JobState, Long>> states;

  JobStateStore(ReadDatabase database, LeaderElection election, Node node, ScrapedMetrics metrics) {
    this.database = database;
    this.election = election;
    this.states = new TimedCache<>(Map.of(), this::count, node::nanoTime);
    metrics.add(List.of(JOBS), this::snapshots);
  }

  private List<MetricSnapshot> snapshots() {
    return election.term().isEmpty()
        ? List.of()
        : List.of(
            ScrapedMetrics.gauge(
                JOBS,
                "jobs that go on or have failed, by their state; a thousand at most",
                states.within(AGE),
                state -> Labels.of("state", state.name().toLowerCase(Locale.ROOT)),
                Long::doubleValue));
  }

  private Map<JobState, Long> count() {
    return database.inTurn(
        () -> {
          Map<JobState, Long> counts = new EnumMap<>(JobState.class);
          database
              .client()
              .sql(COUNT)
              .query(
                  rs -> {
                    counts.put(JobState.valueOf(rs.getString("state")), rs.getLong("jobs"));
                  });
          return counts;
        });
  }
}
