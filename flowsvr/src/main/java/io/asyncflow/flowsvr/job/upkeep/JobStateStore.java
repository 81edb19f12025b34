package io.asyncflow.flowsvr.job.upkeep;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.joining;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.pulse.count.Objectives;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of {@link JobMeters}. */
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
                        LIMIT %2$s) some
                  """
                      .formatted(state.name(), MOST))
          .collect(joining("UNION ALL\n"));

  /** So that a transaction that ended a job has been committed when its time is passed. */
  static final int LATE_COMMIT_MS = 5_000;

  /** Has the time also where there is no job. */
  private static final String TYPES =
      sql(
          """
          SELECT job_type, now_ms - :late AS until
          FROM (SELECT 1) clock
          LEFT JOIN (SELECT DISTINCT job_type FROM t_job FORCE INDEX (idx_ended)) kinds ON TRUE
          """);

  /** The clock may have been set back between the two times. */
  private static final String ENDED =
      """
      SELECT job_type, state, %s AS objective, COUNT(*) AS jobs,
        SUM(GREATEST(0, end_time - create_time)) AS ms
      FROM t_job FORCE INDEX (idx_ended)
      WHERE job_type IN (:types)
        AND end_time > :after
        AND end_time <= :until
      GROUP BY job_type, state, objective
      """
          .formatted(Objectives.sql("end_time - create_time"));

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

  /**
   * The jobs that ended in a time.
   *
   * @param until epoch milliseconds; where the next time begins
   * @param byType each type that there are jobs of, and those of it that ended
   */
  record Ends(long until, Map<String, EndedJobs> byType) {}

  /**
   * The jobs that ended since then and until some seconds ago. Two statements at most.
   *
   * @param after epoch milliseconds; null: none
   * @param most milliseconds: the longest time that is read of
   */
  Ends endedAfter(Long after, long most) {
    return database.inTurn(
        () -> {
          Map<String, EndedJobs> byType = new TreeMap<>();
          long[] until = new long[1];
          JdbcClient client = database.client();
          client
              .sql(TYPES)
              .param("late", LATE_COMMIT_MS)
              .query(
                  rs -> {
                    until[0] = rs.getLong("until");
                    if (rs.getString("job_type") != null) {
                      byType.put(rs.getString("job_type"), new EndedJobs());
                    }
                  });
          if (after != null && until[0] > after && !byType.isEmpty()) {
            until[0] = Math.min(until[0], after + most);
            client
                .sql(ENDED)
                .param("types", byType.keySet())
                .param("after", after)
                .param("until", until[0])
                .query(
                    rs -> {
                      byType
                          .get(rs.getString("job_type"))
                          .add(
                              JobState.valueOf(rs.getString("state")),
                              rs.getInt("objective"),
                              rs.getLong("jobs"),
                              rs.getLong("ms"));
                    });
          }
          return new Ends(until[0], byType);
        });
  }
}
