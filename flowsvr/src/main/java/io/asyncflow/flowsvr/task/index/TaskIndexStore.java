package io.asyncflow.flowsvr.task.index;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.DueTime;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The statements that look at {@code idx_claim (status, task_stage, lane, order_time)}. Each reads
 * a bounded number of its entries; of the first task of a source also its row, which has the head
 * start. Thread-safe.
 */
public class TaskIndexStore {

  /**
   * One index access and a row: the first task of the next lane of the stage, or of the next stage.
   */
  public static final TableSql NEXT =
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
  static final int PARTS = 160;

  private final JdbcClient jdbc;
  private final BooleanSupplier isOver;

  /**
   * @param isOver whether there is no time for another statement
   */
  public TaskIndexStore(JdbcClient jdbc, BooleanSupplier isOver) {
    this.jdbc = jdbc;
    this.isOver = isOver;
  }

  /** Whether there is no time for another statement. */
  public boolean isOver() {
    return isOver.getAsBoolean();
  }

  /**
   * By these sources, the first task, due or not, of the source that follows in the table; none
   * behind the last one.
   */
  public Map<Source, Head> next(Collection<Source> after) {
    Map<Source, Head> following = new LinkedHashMap<>();
    for (List<Source> group : StatementGroups.of(List.copyOf(after), PARTS)) {
      List<Object> values = new ArrayList<>();
      group.forEach(
          at -> values.addAll(List.of(at.status().code(), at.stage(), at.stage(), at.lane())));
      query(
          NEXT,
          group,
          Source::table,
          values,
          rs -> {
            Source before = group.get(rs.getInt("source"));
            long due = rs.getLong("order_time");
            following.put(
                before,
                new Head(
                    new Source(
                        before.table(),
                        before.status(),
                        rs.getString("task_stage"),
                        rs.getString("lane")),
                    rs.getLong("id"),
                    due,
                    DueTime.of(due, rs.getInt("priority"), rs.getLong("modify_time")),
                    rs.getLong("db_now")));
          });
    }
    return following;
  }

  /**
   * The numbers of tasks in each of these, each counted up to a limit; of the first of them alone
   * if there is no time for the others.
   */
  public List<Integer> count(List<Range> ranges, int limit) {
    List<Integer> counts = new ArrayList<>();
    for (List<Range> group : StatementGroups.of(ranges, PARTS)) {
      if (isOver()) {
        break;
      }
      List<Object> values = new ArrayList<>();
      for (Range range : group) {
        values.addAll(values(range));
        values.add(limit);
      }
      Integer[] found = new Integer[group.size()];
      query(
          COUNT,
          group,
          range -> range.source().table(),
          values,
          rs -> found[rs.getInt("source")] = rs.getInt("tasks"));
      counts.addAll(List.of(found));
    }
    return counts;
  }

  /** What the optimizer guesses of each of these, by two accesses to the index; one statement. */
  public List<Long> guesses(List<Range> ranges) {
    List<Object> values = new ArrayList<>();
    List<String> parts = new ArrayList<>();
    for (Range range : ranges) {
      values.addAll(values(range));
      parts.add(ESTIMATE.of(range.source().table()));
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

  private static List<Object> values(Range range) {
    Source source = range.source();
    return List.of(source.status().code(), source.stage(), source.lane(), range.from(), range.to());
  }

  private <T> void query(
      TableSql statement,
      List<T> group,
      Function<T, TaskTable> table,
      List<Object> values,
      RowCallbackHandler rows) {
    jdbc.sql(statement.ofAll(group.stream().map(table).toList())).params(values).query(rows);
  }
}
