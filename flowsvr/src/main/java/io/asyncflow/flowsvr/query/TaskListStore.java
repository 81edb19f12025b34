package io.asyncflow.flowsvr.query;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.access.Names;
import io.asyncflow.flowsvr.index.IndexRange;
import io.asyncflow.flowsvr.index.IndexRange.Index;
import io.asyncflow.flowsvr.index.Position;
import io.asyncflow.flowsvr.index.RangeMerge;
import io.asyncflow.flowsvr.index.RangeMerge.Bounds;
import io.asyncflow.flowsvr.index.RangeMerge.Known;
import io.asyncflow.flowsvr.index.RangeStore;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.StatementGroups;
import io.asyncflow.flowsvr.task.AnswerRoom;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Lists of tasks over many tables, newest first. Thread-safe.
 *
 * <p>A page is read in two steps: first the ids, by going through the tables' entries together
 * ({@link RangeMerge}), then the rows by their ids, slice by slice, while their texts fit into the
 * answer. Tables behind begin that cannot be on the page cost two entries each.
 *
 * <p>If most tasks have a wanted status, the first entries of a table are enough. If they are not,
 * {@code idx_claim} tells whether few tasks of the table have the status: then these are all that
 * is left of it, without a visit of the others. Otherwise the page goes on for {@value #LONG_LOOK}
 * entries, and its cursor tells where it ended.
 *
 * <p>The rows of a user are scattered, so each row visit may be a disk read. If few tasks of a
 * table have a wanted status, the user's are found without visits: by intersecting the ids of both
 * indexes. Otherwise {@value #SLICE_OF_USER} rows are visited, or four times the page's limit.
 *
 * <p>COUNT and OFFSET are not used, because both read the rows that they skip.
 */
@Component
class TaskListStore {

  /** The most entries that one page visits. */
  private static final int LONG_LOOK = 20_000;

  private static final int LONGEST_PIECE = 5_000;

  /** The most rows of a status in one table that are sorted in memory instead of scanned for. */
  private static final int RARE = 5_000;

  /**
   * The same limit for a user's rows, where only indexes are read and the alternative costs more.
   */
  private static final int RARE_FOR_USER = 20_000;

  /** The rows of a user in one table that are visited without reading the status index first. */
  private static final int FEW_OF_USER = 100;

  /** The most tables of which one statement reads a user's entries. */
  private static final int MAX_TABLES_AT_ONCE = 50;

  /** The most rows of a user that one page visits, unless the page itself is large. */
  private static final int SLICE_OF_USER = 500;

  /** Reads only the index. */
  static final TableSql IDS_OF_USER =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (idx_user)
          WHERE user_id = :user
            AND id < :before
          ORDER BY id DESC
          LIMIT :limit
          """);

  /** Reads only the index. */
  static final TableSql OF_STATUS =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (idx_claim)
          WHERE status IN (:statuses)
          LIMIT :limit
          """);

  /** The column {@code source} comes last, because the others are read by position. */
  private static final TableSql BY_IDS =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS
              + ", ? AS source\nFROM %s FORCE INDEX (PRIMARY)\nWHERE id IN (");

  private static final TableSql OLDEST_AFTER =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS
              + """

              FROM %s FORCE INDEX (PRIMARY)
              WHERE id > :after
              ORDER BY id
              LIMIT :limit
              """);

  private final JdbcClient jdbc;
  private final RangeStore ranges;
  private final Node node;

  TaskListStore(JdbcClient jdbc, Node node) {
    this.jdbc = jdbc;
    this.ranges = new RangeStore(jdbc);
    this.node = node;
  }

  /**
   * One page.
   *
   * @param continueBefore the number below which the next page starts; empty on the last page
   */
  record Page(List<TaskRow> rows, OptionalLong continueBefore) {}

  /**
   * The entries of some users whose tasks have one of some statuses. Those of other users are not
   * read, so that no cursor is the number of one.
   */
  private record Listed(Set<TaskStatus> statuses, Names users) implements RangeStore.Test {

    @Override
    public String within(Index index, List<Object> values) {
      return "  AND " + users.test("user_id", values) + "\n";
    }

    @Override
    public String fits(Index index, List<Object> values) {
      statuses.forEach(status -> values.add(status.code()));
      return statuses.isEmpty() ? "1" : "status IN (?" + ", ?".repeat(statuses.size() - 1) + ")";
    }

    private boolean isWanted(TaskRow row) {
      return statuses.isEmpty() || statuses.contains(row.status());
    }
  }

  /**
   * Rows of these users with numbers below {@code before} that have one of the statuses; empty for
   * any.
   */
  Page newest(
      List<TaskFamily> families, Set<TaskStatus> statuses, int limit, long before, Names users) {
    int most = users.isAll() ? LONG_LOOK : sliceOf(limit);
    int first = statuses.isEmpty() ? limit + 1 : 4 * limit + 1;
    return page(
        families,
        IndexRange::ofTable,
        new Listed(statuses, users),
        new Bounds(LONGEST_PIECE, 1, most, first, Long.MAX_VALUE),
        (range, below) ->
            users.isAll() ? ofStatus(range.table(), statuses, RARE) : Optional.empty(),
        limit,
        before);
  }

  private static int sliceOf(int limit) {
    return Math.max(SLICE_OF_USER, 4 * limit + 1);
  }

  /** As {@link #newest}, for the rows of one user. */
  Page newestOfUser(
      List<TaskFamily> families, String user, Set<TaskStatus> statuses, int limit, long before) {
    int most = statuses.isEmpty() ? LONG_LOOK : sliceOf(limit);
    int first = statuses.isEmpty() ? limit + 1 : FEW_OF_USER;
    return page(
        families,
        table -> IndexRange.ofUser(table, user),
        new Listed(statuses, Names.ALL),
        new Bounds(LONGEST_PIECE, MAX_TABLES_AT_ONCE, most, first, Long.MAX_VALUE),
        (range, below) ->
            ofStatus(range.table(), statuses, RARE_FOR_USER)
                .map(rare -> ofUser(range, below, new HashSet<>(rare.numbers()))),
        limit,
        before);
  }

  private Page page(
      List<TaskFamily> families,
      Function<TaskTable, IndexRange> range,
      Listed listed,
      Bounds bounds,
      BiFunction<IndexRange, Long, Optional<Known>> rare,
      int limit,
      long before) {
    List<IndexRange> all =
        families.stream().flatMap(family -> family.readable().stream()).map(range).toList();
    Position after = new Position(before, before);
    RangeMerge.Page found =
        new RangeMerge(ranges, all, SearchOrder.NEWEST, after, listed, bounds, rare, node::nanoTime)
            .page(limit + 1);
    boolean isFull = found.ids().size() > limit;
    List<TaskId> ids = isFull ? found.ids().subList(0, limit) : found.ids();
    List<TaskRow> rows = new ArrayList<>(ids.size());
    AnswerRoom room = new AnswerRoom();
    for (List<TaskId> slice : StatementGroups.of(ids, AnswerRoom.SLICE)) {
      for (TaskRow row : newestFirst(slice)) {
        if (!listed.isWanted(row)) {
          continue; // it has changed since its id was read
        }
        if (!room.take(AnswerRoom.bytesOf(row))) {
          return new Page(rows, OptionalLong.of(rows.get(rows.size() - 1).id().number()));
        }
        rows.add(row);
      }
    }
    if (isFull) {
      return new Page(rows, OptionalLong.of(ids.get(limit - 1).number()));
    }
    return new Page(
        rows, found.isEnd() ? OptionalLong.empty() : OptionalLong.of(found.last().number()));
  }

  /** Those of the wanted numbers that are the user's, as far as its entries are read. */
  private Known ofUser(IndexRange range, long before, Set<Long> wanted) {
    List<Long> ids =
        wanted.isEmpty()
            ? List.of()
            : jdbc.sql(IDS_OF_USER.of(range.table()))
                .param("user", range.user())
                .param("before", before)
                .param("limit", LONG_LOOK)
                .query(Long.class)
                .list();
    return new Known(
        ids.stream().filter(wanted::contains).toList(),
        ids.size() < LONG_LOOK ? 0 : ids.get(LONG_LOOK - 1));
  }

  /** The rows with greater numbers, oldest first. */
  List<TaskRow> oldestAfter(long number, TaskTable table, int limit) {
    return jdbc.sql(OLDEST_AFTER.of(table))
        .param("after", number)
        .param("limit", limit)
        .query(TaskStore.rowsOf(table))
        .list();
  }

  /**
   * All rows of these statuses; empty if there are more than {@code most}, or if all are wanted.
   */
  private Optional<Known> ofStatus(TaskTable table, Set<TaskStatus> statuses, int most) {
    if (statuses.isEmpty()) {
      return Optional.empty();
    }
    List<Long> numbers =
        jdbc.sql(OF_STATUS.of(table))
            .param("statuses", statuses.stream().map(TaskStatus::code).toList())
            .param("limit", most + 1)
            .query(Long.class)
            .list();
    return numbers.size() > most ? Optional.empty() : Optional.of(new Known(numbers, 0));
  }

  /** The rows of these tasks that exist, newest first. */
  private List<TaskRow> newestFirst(List<TaskId> ids) {
    Map<TaskTable, List<Long>> numbers =
        ids.stream().collect(groupingBy(TaskId::table, mapping(TaskId::number, toList())));
    List<TaskRow> rows = new ArrayList<>();
    for (List<TaskTable> group : TableSql.groups(List.copyOf(numbers.keySet()))) {
      List<String> parts = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (TaskTable table : group) {
        List<Long> ofTable = numbers.get(table);
        values.add(parts.size());
        values.addAll(ofTable);
        parts.add(BY_IDS.of(table) + "?" + ", ?".repeat(ofTable.size() - 1) + ")");
      }
      jdbc.sql(String.join("\nUNION ALL\n", parts))
          .params(values)
          .query(
              rs -> {
                TaskTable table = group.get(rs.getInt("source"));
                rows.add(TaskStore.rowsOf(table).mapRow(rs, rows.size()));
              });
    }
    rows.sort(Comparator.comparingLong((TaskRow row) -> row.id().number()).reversed());
    return rows;
  }
}
