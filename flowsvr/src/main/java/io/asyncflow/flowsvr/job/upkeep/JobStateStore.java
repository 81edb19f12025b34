package io.asyncflow.flowsvr.job.upkeep;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** The statement of {@link JobMeters}. */
@Component
class JobStateStore {

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
                        LIMIT %2$d) some
                  """
                      .formatted(state.name(), MOST))
          .collect(joining("UNION ALL\n"));

  private final ReadDatabase database;

  JobStateStore(ReadDatabase database) {
    this.database = database;
  }

  /** The number of jobs in each state but for those that ended well; {@value #MOST} at most. */
  Map<JobState, Long> counts() {
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
