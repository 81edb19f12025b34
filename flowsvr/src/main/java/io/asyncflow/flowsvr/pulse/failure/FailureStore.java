package io.asyncflow.flowsvr.pulse.failure;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.pulse.count.Writer;
import io.asyncflow.flowsvr.pulse.failure.FailureGroups.Group;
import io.asyncflow.flowsvr.pulse.failure.FailureGroups.Key;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.rules.Fingerprint;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** {@code t_failure} and {@code t_failure_group}. Thread-safe. */
@Component
class FailureStore {

  private static final int STATEMENT = 200;

  private final JdbcTemplate jdbc;
  private final Writer writer;

  FailureStore(JdbcTemplate jdbc, Writer writer) {
    this.jdbc = jdbc;
    this.writer = writer;
  }

  /** A failure that has a row of its own. */
  record Listed(FailureNote note, Fingerprint fingerprint) {

    List<?> values() {
      return Arrays.asList(
          note.task().type().name(),
          note.time(),
          note.task().number(),
          note.leaseEpoch(),
          note.task().table().number(),
          note.stage(),
          note.workerId(),
          note.isFinal() ? 1 : 0,
          note.verdict(),
          fingerprint.value(),
          note.costMs(),
          note.message());
    }
  }

  /** Inserts the rows that are not there yet. */
  void insert(List<Listed> rows) {
    jdbc.batchUpdate(
        """
        INSERT IGNORE INTO t_failure
          (task_type, fail_time, task_number, lease_epoch, table_number, task_stage, worker_id,
           is_final, verdict, fingerprint, cost_ms, err_msg)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
        STATEMENT,
        (statement, row) -> new StatementValues(row.values()).setValues(statement));
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
        writer.number(),
        group.stage(),
        group.verdict(),
        group.failures(),
        group.finals(),
        group.firstTime(),
        group.last().time(),
        group.last().message(),
        group.last().task().toString());
  }

  /** Deletes a page of the oldest failures; returns their number. */
  int deleteFailures(Duration age, int limit) {
    return jdbc.update(
        sql("DELETE FROM t_failure WHERE fail_time < now_ms - ? ORDER BY fail_time LIMIT ?"),
        age.toMillis(),
        limit);
  }

  /** Deletes a page of the oldest groups; returns their number. */
  int deleteGroups(Duration age, int limit) {
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
