package io.asyncflow.flowsvr.operate.stats.history;

import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads ranges of the primary key of {@code t_metric}. Thread-safe. */
@Component
public class MetricHistoryStore {

  /** Rows in memory at a time. */
  private static final int PAGE = 5_000;

  private final ReadDatabase database;
  private final JdbcClient jdbc;

  MetricHistoryStore(ReadDatabase database) {
    this.database = database;
    this.jdbc = database.client();
  }

  /** A stage of a type; the stage {@code ""} is any of them. */
  public record Stage(String type, String name) {}

  /** Says to which numbers a row is added. */
  public interface Sums {

    /**
     * @param minute since the epoch
     */
    Numbers at(String type, String stage, long minute);
  }

  /**
   * Adds up what was written for one stage of a type, the latest first, as far as there is time.
   *
   * @param stage {@code ""} for all stages together
   * @param from minute since the epoch, inclusive
   * @param to minute since the epoch, exclusive
   * @param most rows
   * @return the number of rows; {@code most} if there are more, or may be
   */
  int addUp(String type, String stage, long from, long to, int most, Sums sums) {
    int read = 0;
    Row last = new Row(to, 0);
    while (read < most) {
      if (database.isOver()) {
        return most;
      }
      int page = Math.min(PAGE, most - read);
      List<Row> rows = page(type, stage, from, last, page, sums);
      read += rows.size();
      if (rows.size() < page) {
        return read;
      }
      last = rows.get(page - 1);
    }
    return most;
  }

  /** The place of a row of a type and stage. */
  private record Row(long minute, int writer) {}

  private List<Row> page(String type, String stage, long from, Row before, int limit, Sums sums) {
    return jdbc.sql(
            """
            SELECT minute, writer, %s
            FROM t_metric FORCE INDEX (PRIMARY)
            WHERE task_type = :type
              AND task_stage = :stage
              AND minute >= :from
              AND (minute < :minute OR minute = :minute AND writer < :writer)
            ORDER BY task_type DESC, task_stage DESC, minute DESC, writer DESC
            LIMIT :limit
            """
                .formatted(Numbers.COLUMNS))
        .param("type", type)
        .param("stage", stage)
        .param("from", from)
        .param("minute", before.minute())
        .param("writer", before.writer())
        .param("limit", limit)
        .query(
            (rs, n) -> {
              Row row = new Row(rs.getLong("minute"), rs.getInt("writer"));
              sums.at(type, stage, row.minute()).addRow(rs);
              return row;
            })
        .list();
  }

  /**
   * The sums of some stages that have any; see {@link #addUp(Collection, Collection, long, long,
   * Sums)}.
   */
  public Map<Stage, Numbers> sums(
      Collection<String> types, Collection<String> stages, long from, long to) {
    Map<Stage, Numbers> sums = new HashMap<>();
    addUp(
        types,
        stages,
        from,
        to,
        (type, stage, at) -> sums.computeIfAbsent(new Stage(type, stage), s -> new Numbers()));
    return sums;
  }

  /**
   * Adds up what was written for some stages in an hour at most.
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
