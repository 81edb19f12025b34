package io.asyncflow.flowsvr.index;

import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.index.IndexRange.Index;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The statement that reads ranges, each from a position on, up to a limit. Thread-safe. */
public final class RangeStore {

  private final JdbcClient jdbc;

  public RangeStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Which entries of ranges are read, and which of them are wanted; in SQL. */
  public interface Test {

    /**
     * What is true of the entries that are read.
     *
     * @param values receives those of the parameters
     * @return begins with AND; empty for all entries
     */
    String within(Index index, List<Object> values);

    /** An expression that is true of the entries that are wanted, as {@link #within}. */
    String fits(Index index, List<Object> values);
  }

  /** An entry of an index of a table. */
  public record Entry(TaskTable table, Position at, boolean fits) {}

  /**
   * What is read of a range.
   *
   * @param after {@code null} for its begin
   */
  record Piece(IndexRange range, Position after) {}

  /** The next entries of each, in order. */
  List<List<Entry>> read(List<Piece> pieces, SearchOrder order, Test test, int limit) {
    List<List<Entry>> all = new ArrayList<>();
    for (List<Piece> group : TableSql.groups(pieces)) {
      List<Object> values = new ArrayList<>();
      List<String> parts = new ArrayList<>();
      List<List<Entry>> found = new ArrayList<>();
      for (Piece piece : group) {
        String part = "SELECT " + parts.size() + " AS source, part.*\nFROM (\n%s) part\n";
        parts.add(part.formatted(sql(piece, order, test, limit, values)));
        found.add(new ArrayList<>());
      }
      jdbc.sql(String.join("UNION ALL\n", parts))
          .params(values)
          .query(
              rs -> {
                int source = rs.getInt("source");
                Position at = new Position(rs.getLong("place"), rs.getLong("id"));
                TaskTable table = group.get(source).range().table();
                found.get(source).add(new Entry(table, at, rs.getBoolean("fits")));
              });
      found.forEach(entries -> entries.sort(Comparator.comparing(Entry::at, Position.in(order))));
      all.addAll(found);
    }
    return all;
  }

  private static String sql(
      Piece piece, SearchOrder order, Test test, int limit, List<Object> values) {
    IndexRange range = piece.range();
    boolean isByDue = range.index() == Index.CLAIM;
    String direction = order == SearchOrder.DUE ? "" : " DESC";
    StringBuilder sql = new StringBuilder("SELECT ");
    sql.append(isByDue ? "order_time" : "id").append(" AS place, id, ");
    sql.append(test.fits(range.index(), values)).append(" AS fits\nFROM ");
    sql.append(range.table().sqlName()).append(" FORCE INDEX (").append(range.index().sqlName());
    sql.append(")\nWHERE ");
    switch (range.index()) {
      case PRIMARY -> sql.append("TRUE\n");
      case USER -> {
        sql.append("user_id = ?\n");
        values.add(range.user());
      }
      case CLAIM -> {
        sql.append("status = ?\n  AND task_stage = ?\n  AND lane = ?\n");
        Source source = range.source();
        values.addAll(List.of(source.status().code(), source.stage(), source.lane()));
      }
    }
    sql.append(test.within(range.index(), values));
    Position after = piece.after();
    if (after != null && isByDue) {
      String beyond = order == SearchOrder.DUE ? ">" : "<";
      sql.append("  AND (order_time <> ? OR order_time = ? AND id <> ?)\n".replace("<>", beyond));
      values.addAll(List.of(after.order(), after.order(), after.number()));
    } else if (after != null) {
      sql.append("  AND id < ?\n");
      values.add(after.number());
    }
    sql.append("ORDER BY ").append(isByDue ? "order_time" + direction + ", " : "");
    return sql.append("id" + direction + "\nLIMIT " + limit + "\n").toString();
  }
}
