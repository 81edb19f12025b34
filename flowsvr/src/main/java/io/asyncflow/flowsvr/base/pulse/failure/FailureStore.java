package io.asyncflow.flowsvr.base.pulse.failure;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.flowsvr.base.pulse.failure.FailureGroups.Group;
import io.asyncflow.flowsvr.base.pulse.failure.FailureGroups.Key;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** The statements that write {@code t_failure_group}. Thread-safe. */
@Component
class FailureStore {

  private static final int STATEMENT = 200;

  private final JdbcTemplate jdbc;
  private final Node node;

  FailureStore(JdbcTemplate jdbc, Node node) {
    this.jdbc = jdbc;
    this.node = node;
  }

  /** Writes the counts of groups of this server. */
  void write(List<Map.Entry<Key, Group>> counts) {
    jdbc.batchUpdate(
        """
        INSERT INTO t_failure_group
          (task_type, hour, fingerprint, writer, task_stage, verdict, failures, finals, first_time,
           last_time, sample, sample_task)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE
          failures = VALUES(failures),
          finals = VALUES(finals),
          first_time = VALUES(first_time),
          last_time = VALUES(last_time),
          sample = VALUES(sample),
          sample_task = VALUES(sample_task)
        """,
        counts,
        STATEMENT,
        (statement, count) ->
            new StatementValues(values(count.getKey(), count.getValue())).setValues(statement));
  }

  private List<?> values(Key key, Group group) {
    return List.of(
        key.type(),
        key.hour(),
        key.fingerprint().value(),
        node.number(),
        group.stage(),
        group.verdict(),
        group.failures(),
        group.finals(),
        group.firstTime(),
        group.last().time(),
        group.last().message(),
        group.last().task().toString());
  }

  @Bean
  Duty failureRetentionDuty(
      Retention retention, @Value("${flow.stats.history:14d}") Duration history) {
    return retention.of("failure", limit -> delete(history, limit));
  }

  /** Deletes a page of the oldest groups; returns their number. */
  int delete(Duration age, int limit) {
    return jdbc.update(
        sql(
            """
            DELETE FROM t_failure_group
            WHERE hour < (now_ms - ?) DIV 3600000
            ORDER BY hour
            LIMIT ?
            """),
        age.toMillis(),
        limit);
  }
}
