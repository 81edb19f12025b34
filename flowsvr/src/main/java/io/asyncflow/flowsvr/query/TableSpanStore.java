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
 * The lowest and highest task number of each table behind begin. Thread-safe.
 *
 * <p>No rows are added to such a table, so its span is cached; only for a minute, because rows may
 * be restored from a backup, or begin may be moved back.
 */
@Component
class TableSpanStore {

  private static final TableSql SPAN = new TableSql("MIN(id), MAX(id) FROM %s");

  /**
   * The most cached spans, of a few hundred bytes each; then the cache is cleared, which removes
   * dropped tables.
   */
  private static final int MAX_TABLES = 10_000;

  private static final long CACHE_TIME = TimeUnit.MINUTES.toNanos(1);

  private final JdbcClient jdbc;
  private final Node node;
  private final Map<TaskTable, Known> known = new ConcurrentHashMap<>();

  TableSpanStore(JdbcClient jdbc, Node node) {
    this.jdbc = jdbc;
    this.node = node;
  }

  /**
   * The lowest and highest number of a table's tasks. For an empty table, lowest is greater than
   * highest.
   */
  record Span(TaskTable table, long lowest, long highest) {}

  private record Known(Span span, long readAt) {}

  /**
   * The spans of these tables, in no order. Spans that are not cached are read by one statement per
   * {@link TableSql#groups group}.
   *
   * @param drained tables behind begin that can be read
   */
  List<Span> of(List<TaskTable> drained) {
    List<Span> spans = new ArrayList<>(drained.size());
    List<TaskTable> unknown = new ArrayList<>();
    long now = node.nanoTime();
    for (TaskTable table : drained) {
      Known cached = known.get(table);
      if (cached == null || now - cached.readAt() > CACHE_TIME) {
        unknown.add(table);
      } else {
        spans.add(cached.span());
      }
    }
    TableSql.groups(unknown).forEach(group -> spans.addAll(read(group)));
    return spans;
  }

  private List<Span> read(List<TaskTable> tables) {
    long readAt = node.nanoTime();
    String sql =
        IntStream.range(0, tables.size())
            .mapToObj(i -> "SELECT " + i + ", " + SPAN.of(tables.get(i)))
            .collect(joining("\nUNION ALL\n"));
    List<Span> spans =
        jdbc.sql(sql)
            .query(
                (rs, row) -> {
                  TaskTable table = tables.get(rs.getInt(1));
                  long lowest = rs.getLong(2);
                  boolean isEmpty = rs.wasNull();
                  return new Span(table, isEmpty ? Long.MAX_VALUE : lowest, rs.getLong(3));
                })
            .list();
    if (known.size() + spans.size() > MAX_TABLES) {
      known.clear();
    }
    spans.forEach(span -> known.put(span.table(), new Known(span, readAt)));
    return spans;
  }
}
