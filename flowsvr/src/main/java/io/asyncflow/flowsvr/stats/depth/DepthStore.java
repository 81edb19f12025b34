package io.asyncflow.flowsvr.stats.depth;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements that look at {@code idx_claim (status, task_stage, lane, order_time)}. Each reads
 * a bounded number of its entries, and no rows. Thread-safe.
 */
@Component
class DepthStore {

  /** One index access: the first task of the next lane of the stage, or of the next stage. */
  private static final TableSql NEXT =
      new TableSql(
          """
          SELECT task_stage, lane, id, order_time, now_ms AS db_now
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = ?
            AND (task_stage > ? OR task_stage = ? AND lane > ?)
          ORDER BY task_stage, lane, order_time
          LIMIT 1
          """);

  private static final String RANGE =
      """
      FROM %s FORCE INDEX (idx_claim)
      WHERE status = ?
        AND task_stage = ?
        AND lane = ?
        AND order_time >= ?
        AND order_time < ?
      """;

  private static final TableSql COUNT =
      new TableSql("SELECT COUNT(*) AS tasks\nFROM (\nSELECT 1\n" + RANGE + "LIMIT ?) some\n");

  private static final TableSql ESTIMATE = new TableSql("SELECT 1\n" + RANGE);

  private static final int RANGES_A_STATEMENT = 50;

  private final JdbcClient jdbc;
  private final BooleanSupplier isOver;

  @Autowired
  DepthStore(ReadDatabase database) {
    this(database.client(), database::isOver);
  }

  /**
   * @param isOver whether there is no time for another statement
   */
  DepthStore(JdbcClient jdbc, BooleanSupplier isOver) {
    this.jdbc = jdbc;
    this.isOver = isOver;
  }

  /** Whether there is no time for another statement. */
  boolean isOver() {
    return isOver.getAsBoolean();
  }

  /**
   * What follows some places.
   *
   * @param list the first task of the place that follows each in its table; none behind the last
   * @param notAsked the places for which there was no time
   */
  record Next(List<First> list, List<Place> notAsked) {}

  Next firstOfNext(List<Place> after) {
    List<First> firsts = new ArrayList<>();
    List<Place> notAsked = new ArrayList<>();
    for (List<Place> group : TableSql.groups(after)) {
      if (isOver()) {
        notAsked.addAll(group);
        continue;
      }
      List<Object> values = new ArrayList<>();
      for (Place place : group) {
        values.addAll(List.of(place.status().code(), place.stage(), place.stage(), place.lane()));
      }
      List<TaskTable> tables = group.stream().map(Place::table).toList();
      jdbc.sql(NEXT.ofAll(tables))
          .params(values)
          .query(
              rs -> {
                Place before = group.get(rs.getInt("source"));
                Place next =
                    new Place(
                        before.table(),
                        before.status(),
                        rs.getString("task_stage"),
                        rs.getString("lane"));
                firsts.add(
                    new First(
                        next, rs.getLong("id"), rs.getLong("order_time"), rs.getLong("db_now")));
              });
    }
    return new Next(firsts, notAsked);
  }

  /**
   * Some tasks of a place.
   *
   * @param from epoch ms, inclusive
   * @param to epoch ms, exclusive
   */
  record Range(Place place, long from, long to) {

    List<Object> values() {
      TaskStatus status = place.status();
      return List.of(status.code(), place.stage(), place.lane(), from, to);
    }
  }

  /**
   * The numbers of tasks in each of these, each counted up to a limit; of the first of them alone
   * if there is no time for the others.
   */
  List<Integer> count(List<Range> ranges, int limit) {
    List<Integer> counts = new ArrayList<>();
    for (int start = 0; start < ranges.size() && !isOver(); start += RANGES_A_STATEMENT) {
      List<Range> group =
          ranges.subList(start, Math.min(start + RANGES_A_STATEMENT, ranges.size()));
      List<Object> values = new ArrayList<>();
      for (Range range : group) {
        values.addAll(range.values());
        values.add(limit);
      }
      Integer[] found = new Integer[group.size()];
      jdbc.sql(COUNT.ofAll(group.stream().map(range -> range.place().table()).toList()))
          .params(values)
          .query(
              rs -> {
                found[rs.getInt("source")] = rs.getInt("tasks");
              });
      counts.addAll(List.of(found));
    }
    return counts;
  }

  /** What the optimizer guesses of each of these, by two accesses to the index; one statement. */
  List<Long> guesses(List<Range> ranges) {
    List<Object> values = new ArrayList<>();
    List<String> parts = new ArrayList<>();
    for (Range range : ranges) {
      values.addAll(range.values());
      parts.add(ESTIMATE.of(range.place().table()));
    }
    Long[] guesses = new Long[ranges.size()];
    jdbc.sql("EXPLAIN " + String.join("UNION ALL\n", parts))
        .params(values)
        .query(
            rs -> {
              int id = rs.getInt("id");
              if (id > 0 && id <= guesses.length) { // others are about the union
                guesses[id - 1] = rs.getLong("rows");
              }
            });
    return Arrays.stream(guesses).map(guess -> Objects.requireNonNullElse(guess, 0L)).toList();
  }
}
