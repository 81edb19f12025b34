package io.asyncflow.flowsvr.operate.stats.history;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.rules.Fingerprint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads ranges of the primary key of {@code t_failure_group}. Thread-safe. */
@Component
public class FailureHistoryStore {

  private static final String PART =
      """
      (
      SELECT task_type, hour, fingerprint, writer, task_stage, verdict, failures, finals,
        first_time, last_time
      FROM t_failure_group FORCE INDEX (PRIMARY)
      WHERE task_type = ?
        AND hour >= ?
        AND hour <= ?
        AND (hour < ? OR fingerprint < ? OR fingerprint = ? AND writer < ?)
      ORDER BY task_type DESC, hour DESC, fingerprint DESC, writer DESC
      LIMIT ?)
      """;

  private static final int TYPES_A_STATEMENT = 50;

  /** A type of which so few rows more could be read is read no further. */
  private static final int LEAST = 10;

  private final ReadDatabase database;
  private final JdbcClient jdbc;

  FailureHistoryStore(ReadDatabase database) {
    this.database = database;
    this.jdbc = database.client();
  }

  /** The place of a row. */
  record Key(String type, long hour, Fingerprint fingerprint, int writer) {

    /** Before all rows of the hour, in the order of their reading. */
    static Key before(String type, long hour) {
      return new Key(type, hour, new Fingerprint(Long.MAX_VALUE), Integer.MAX_VALUE);
    }
  }

  /** A row without its sample. */
  record Row(
      Key key,
      String stage,
      String verdict,
      int failures,
      int finals,
      long firstTime,
      long lastTime) {}

  /**
   * Reads the groups of some types and hours, of each type the latest hours first, as far as there
   * is time. All types have equal shares of the limit; what some leave is for the others.
   *
   * @param limit the most rows that are read
   * @return whether these are all
   */
  boolean read(
      Collection<String> types, long fromHour, long toHour, int limit, Consumer<Row> rows) {
    List<Key> next = types.stream().map(type -> Key.before(type, toHour)).toList();
    int rest = limit;
    while (!next.isEmpty()) {
      int share = rest / next.size();
      if (share < LEAST) {
        return false;
      }
      List<Key> cut = new ArrayList<>();
      for (List<Key> some : StatementGroups.of(next, TYPES_A_STATEMENT)) {
        if (database.isOver()) {
          return false;
        }
        Map<String, List<Row>> found = page(some, fromHour, share);
        for (List<Row> ofType : found.values()) {
          ofType.forEach(rows);
          rest -= ofType.size();
          if (ofType.size() == share) {
            cut.add(ofType.get(share - 1).key());
          }
        }
      }
      next = cut;
    }
    return true;
  }

  /** Rows behind each of these, by type. */
  private Map<String, List<Row>> page(List<Key> after, long fromHour, int limit) {
    List<Object> values = new ArrayList<>();
    for (Key key : after) {
      long print = key.fingerprint().value();
      Collections.addAll(values, key.type(), fromHour, key.hour(), key.hour());
      Collections.addAll(values, print, print, key.writer(), limit);
    }
    Map<String, List<Row>> rows = new HashMap<>();
    jdbc.sql(String.join("UNION ALL\n", Collections.nCopies(after.size(), PART)))
        .params(values)
        .query(
            rs -> {
              Row row =
                  new Row(
                      new Key(
                          rs.getString("task_type"),
                          rs.getLong("hour"),
                          new Fingerprint(rs.getLong("fingerprint")),
                          rs.getInt("writer")),
                      rs.getString("task_stage"),
                      rs.getString("verdict"),
                      rs.getInt("failures"),
                      rs.getInt("finals"),
                      rs.getLong("first_time"),
                      rs.getLong("last_time"));
              rows.computeIfAbsent(row.key().type(), type -> new ArrayList<>()).add(row);
            });
    return rows;
  }

  /** What one of the failures of a row says. */
  record Sample(String message, String taskId) {}

  /** The samples of some rows. */
  Map<Key, Sample> samples(List<Key> keys) {
    Map<Key, Sample> samples = new HashMap<>();
    if (keys.isEmpty()) {
      return samples;
    }
    List<Object> values = new ArrayList<>();
    keys.forEach(
        key ->
            Collections.addAll(
                values, key.type(), key.hour(), key.fingerprint().value(), key.writer()));
    jdbc.sql(
            """
            SELECT task_type, hour, fingerprint, writer, sample, sample_task
            FROM t_failure_group
            WHERE (task_type, hour, fingerprint, writer) IN (%s)
            """
                .formatted(String.join(", ", Collections.nCopies(keys.size(), "(?, ?, ?, ?)"))))
        .params(values)
        .query(
            rs -> {
              samples.put(
                  new Key(
                      rs.getString("task_type"),
                      rs.getLong("hour"),
                      new Fingerprint(rs.getLong("fingerprint")),
                      rs.getInt("writer")),
                  new Sample(rs.getString("sample"), rs.getString("sample_task")));
            });
    return samples;
  }

  /**
   * What failed of a type in the last day.
   *
   * @param finals tasks that were set to failed
   * @param poisoned those of them that are poison
   */
  public record LastDay(long finals, long poisoned) {}

  /**
   * The failures of the types that have any.
   *
   * @param limit the most rows that are added up, those of the latest hours
   */
  public Map<String, LastDay> lastDay(int limit) {
    Map<String, LastDay> sums = new HashMap<>();
    jdbc.sql(
            sql(
                """
                SELECT task_type, SUM(finals), SUM(IF(verdict = 'POISON', finals, 0))
                FROM (
                  SELECT task_type, verdict, finals
                  FROM t_failure_group FORCE INDEX (idx_hour)
                  WHERE hour >= now_ms DIV 3600000 - 23
                  ORDER BY hour DESC
                  LIMIT :limit) some
                GROUP BY task_type
                """))
        .param("limit", limit)
        .query(
            rs -> {
              sums.put(rs.getString(1), new LastDay(rs.getLong(2), rs.getLong(3)));
            });
    return sums;
  }
}
