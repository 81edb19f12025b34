package io.asyncflow.flowsvr.stats.depth;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.DueTime;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements that look at {@code idx_claim (status, task_stage, lane, order_time)}. Each reads
 * a bounded number of its entries; of the first task of a place also its row, which has the head
 * start. Thread-safe.
 */
@Component
class DepthStore {

  /**
   * One index access and a row: the first task of the next lane of the stage, or of the next stage.
   */
  private static final TableSql NEXT =
      new TableSql(
          """
          SELECT task_stage, lane, id, order_time, priority, modify_time, now_ms AS db_now
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

  /** The most parts of a statement, each of which is an access or two to the index. */
  private static final int PARTS = 160;

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
   * @param following by these places, the first task of the one that follows in the table; none
   *     behind the last
   * @param notAsked the places for which there was no time
   */
  record Next(Map<Place, First> following, Set<Place> notAsked) {}

  Next firstOfNext(List<Place> after) {
    Map<Place, First> following = new HashMap<>();
    Set<Place> notAsked = new HashSet<>();
    for (List<Place> group : groups(after)) {
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
                long orderTime = rs.getLong("order_time");
                long dueTime =
                    DueTime.of(orderTime, rs.getInt("priority"), rs.getLong("modify_time"));
                following.put(
                    before,
                    new First(next, rs.getLong("id"), orderTime, dueTime, rs.getLong("db_now")));
              });
    }
    return new Next(following, notAsked);
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
    for (List<Range> group : groups(ranges)) {
      if (isOver()) {
        break;
      }
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

  private static <T> List<List<T>> groups(List<T> items) {
    List<List<T>> groups = new ArrayList<>();
    for (int start = 0; start < items.size(); start += PARTS) {
      groups.add(items.subList(start, Math.min(start + PARTS, items.size())));
    }
    return groups;
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
