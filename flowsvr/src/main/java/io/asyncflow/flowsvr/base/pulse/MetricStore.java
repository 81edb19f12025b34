package io.asyncflow.flowsvr.base.pulse;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.base.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** The statements that write {@code t_metric}. Thread-safe. */
@Component
class MetricStore {

  private static final int STATEMENT = 500;
  private static final int ROLLED_UP = 0;
  private static final int TEN = 10;

  private static final String WRITE =
      """
      INSERT INTO t_metric (task_type, task_stage, minute, writer, span, <columns>)
      VALUES (<signs>)
      ON DUPLICATE KEY UPDATE <updates>
      """
          .replace("<columns>", Numbers.COLUMNS)
          .replace(
              "<signs>", String.join(", ", Collections.nCopies(7 + Count.values().length, "?")))
          .replace(
              "<updates>",
              Stream.of(Numbers.COLUMNS.split(", "))
                  .map(column -> column + " = VALUES(" + column + ")")
                  .collect(joining(", ")));

  private final JdbcTemplate jdbc;
  private final Node node;

  MetricStore(JdbcTemplate jdbc, Node node) {
    this.jdbc = jdbc;
    this.node = node;
  }

  /**
   * A row.
   *
   * @param minute since the epoch
   */
  record Bucket(Place place, long minute) {}

  long now() {
    return jdbc.queryForObject(sql("SELECT now_ms"), Long.class);
  }

  /** Writes rows of this server, which have these values afterwards. */
  void write(Map<Bucket, Numbers> rows) {
    write(rows, node.number(), 1);
  }

  private void write(Map<Bucket, Numbers> rows, int by, int span) {
    jdbc.batchUpdate(
        WRITE,
        rows.entrySet(),
        STATEMENT,
        (statement, row) -> {
          Bucket bucket = row.getKey();
          List<Object> values = new ArrayList<>();
          Collections.addAll(
              values, bucket.place().type(), bucket.place().stage(), bucket.minute(), by, span);
          values.addAll(row.getValue().values());
          new StatementValues(values).setValues(statement);
        });
  }

  /**
   * Rolls up a page of the oldest minutes: adds them to the rows of their ten minutes, and deletes
   * them. Requires a transaction.
   *
   * @return the number of minutes that were rolled up
   */
  int rollUp(Duration age, int limit) {
    Map<Bucket, Numbers> tens = new HashMap<>();
    List<Object[]> rolledUp = new ArrayList<>();
    jdbc.query(
        sql(
            """
            SELECT task_type, task_stage, minute, writer, <columns>
            FROM t_metric FORCE INDEX (idx_age)
            WHERE span = 1
              AND minute < (now_ms - ?) DIV 600000 * 10
            ORDER BY minute
            LIMIT ?
            FOR UPDATE
            """
                .replace("<columns>", Numbers.COLUMNS)),
        rs -> {
          Place place = new Place(rs.getString("task_type"), rs.getString("task_stage"));
          long minute = rs.getLong("minute");
          rolledUp.add(new Object[] {place.type(), place.stage(), minute, rs.getInt("writer")});
          tens.computeIfAbsent(new Bucket(place, minute / TEN * TEN), ten -> new Numbers())
              .addRow(rs);
        },
        age.toMillis(),
        limit);
    if (!rolledUp.isEmpty()) {
      addWritten(tens);
      write(tens, ROLLED_UP, TEN);
      jdbc.batchUpdate(
          "DELETE FROM t_metric WHERE task_type = ? AND task_stage = ? AND minute = ? AND writer ="
              + " ?",
          rolledUp);
    }
    return rolledUp.size();
  }

  /** Adds what an earlier page of the same ten minutes has written. */
  private void addWritten(Map<Bucket, Numbers> tens) {
    List<Bucket> buckets = List.copyOf(tens.keySet());
    List<Object> values = new ArrayList<>();
    buckets.forEach(
        ten -> Collections.addAll(values, ten.place().type(), ten.place().stage(), ten.minute()));
    jdbc.query(
        "SELECT task_type, task_stage, minute, "
            + Numbers.COLUMNS
            + " FROM t_metric WHERE writer = 0 AND (task_type, task_stage, minute) IN ("
            + String.join(", ", Collections.nCopies(buckets.size(), "(?, ?, ?)"))
            + ") FOR UPDATE",
        new StatementValues(values),
        rs -> {
          Place place = new Place(rs.getString("task_type"), rs.getString("task_stage"));
          tens.get(new Bucket(place, rs.getLong("minute"))).addRow(rs);
        });
  }

  /** Deletes a page of the oldest rows that were rolled up; returns their number. */
  int deleteRolledUp(Duration age, int limit) {
    return jdbc.update(
        sql(
            """
            DELETE FROM t_metric
            WHERE span = 10
              AND minute < (now_ms - ?) DIV 60000
            ORDER BY minute
            LIMIT ?
            """),
        age.toMillis(),
        limit);
  }
}
