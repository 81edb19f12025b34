package io.asyncflow.flowsvr.stats.history;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import java.util.Collection;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads ranges of the primary key of {@code t_metric}. Thread-safe. */
@Component
public class MetricHistoryStore {

  private final JdbcClient jdbc;

  MetricHistoryStore(ReadDatabase database) {
    this.jdbc = database.client();
  }

  /** The database's epoch ms. */
  public long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  /** Says to which numbers a row is added. */
  public interface Sums {

    /**
     * @param minute since the epoch
     */
    Numbers at(String type, String stage, long minute);
  }

  /**
   * Adds up what was written for some stages.
   *
   * @param stages {@code ""} for all stages together
   * @param from minute since the epoch, inclusive
   * @param to minute since the epoch, exclusive
   */
  public void addUp(
      Collection<String> types, Collection<String> stages, long from, long to, Sums sums) {
    if (types.isEmpty() || stages.isEmpty()) {
      return;
    }
    jdbc.sql(
            """
            SELECT task_type, task_stage, minute, %s
            FROM t_metric FORCE INDEX (PRIMARY)
            WHERE task_type IN (:types)
              AND task_stage IN (:stages)
              AND minute >= :from
              AND minute < :to
            """
                .formatted(Numbers.COLUMNS))
        .param("types", types)
        .param("stages", stages)
        .param("from", from)
        .param("to", to)
        .query(
            rs -> {
              String type = rs.getString("task_type");
              String stage = rs.getString("task_stage");
              sums.at(type, stage, rs.getLong("minute")).addRow(rs);
            });
  }
}
