package io.asyncflow.flowsvr.query;

import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * From which number to which the tasks of tables behind begin go.
 *
 * <p>Nothing is added to such a table, so what it says is remembered; for a minute, as its rows may
 * be restored from a backup, or begin be taken back to it. Thread-safe.
 */
@Component
class TableSpanStore {

  private static final TableSql SPAN = new TableSql("MIN(id), MAX(id) FROM %s");

  /** A few hundred bytes each; those of tables that were dropped go when there are so many. */
  private static final int MOST_TABLES = 10_000;

  private static final long REMEMBERED = TimeUnit.MINUTES.toNanos(1);

  private final JdbcClient jdbc;
  private final Node node;
  private final Map<TaskTable, Known> known = new ConcurrentHashMap<>();

  TableSpanStore(JdbcClient jdbc, Node node) {
    this.jdbc = jdbc;
    this.node = node;
  }

  /**
   * The lowest and the highest number of a table's tasks; of an empty one no number is between
   * them.
   */
  record Span(TaskTable table, long lowest, long highest) {}

  private record Known(Span span, long readAt) {}

  /**
   * The spans of these tables, in no order; those that nobody asked for lately by a statement a
   * {@link TableSql#groups group}.
   *
   * @param drained tables behind begin that can be read
   */
  List<Span> of(List<TaskTable> drained) {
    List<Span> spans = new ArrayList<>(drained.size());
    List<TaskTable> unknown = new ArrayList<>();
    long now = node.nanoTime();
    for (TaskTable table : drained) {
      Known remembered = known.get(table);
      if (remembered == null || now - remembered.readAt() > REMEMBERED) {
        unknown.add(table);
      } else {
        spans.add(remembered.span());
      }
    }
    TableSql.groups(unknown).forEach(group -> spans.addAll(read(group)));
    return spans;
  }

  private List<Span> read(List<TaskTable> tables) {
    long readAt = node.nanoTime();
    String each =
        IntStream.range(0, tables.size())
            .mapToObj(i -> "SELECT " + i + ", " + SPAN.of(tables.get(i)))
            .collect(joining("\nUNION ALL\n"));
    List<Span> spans =
        jdbc.sql(each)
            .query(
                (rs, row) -> {
                  TaskTable table = tables.get(rs.getInt(1));
                  long lowest = rs.getLong(2);
                  boolean isEmpty = rs.wasNull();
                  return new Span(table, isEmpty ? Long.MAX_VALUE : lowest, rs.getLong(3));
                })
            .list();
    if (known.size() + spans.size() > MOST_TABLES) {
      known.clear();
    }
    spans.forEach(span -> known.put(span.table(), new Known(span, readAt)));
    return spans;
  }
}
