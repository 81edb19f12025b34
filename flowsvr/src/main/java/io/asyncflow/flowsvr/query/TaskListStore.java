package io.asyncflow.flowsvr.query;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.query.TableSpanStore.Span;
import io.asyncflow.flowsvr.task.AnswerRoom;
import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Lists over many tables, newest first.
 *
 * <p>A family may have hundreds of tables behind begin. Nothing is added to those, so their {@link
 * TableSpanStore.Span spans} tell which of them can be on a page: one that is filled costs the live
 * tables and one or two of the others, and only one that is not looks at all of them.
 *
 * <p>A page is found in two steps: which rows, looking at ids and statuses only, and then these
 * rows by their ids, slice by slice, as long as an answer has room for their texts. Where all
 * statuses are wanted, or most rows have a wanted one, a short look backwards from the cursor finds
 * them (the primary key is in the order of creation, and so is {@code idx_user} within a user).
 * Where it does not, {@code idx_claim} tells whether few rows have the status: then all of them are
 * sorted here. Else the look goes on for {@value #LONG_LOOK} rows, and the page says where to go
 * on.
 *
 * <p>The rows of a user lie apart, so each one that is looked at may be a read of the disk. Where
 * few rows of a table have a wanted status, the user's are found without any: both indexes have the
 * ids, and what is in both is wanted. Else {@value #SLICE_OF_USER} rows are looked at, or four
 * times what a page has, and the page says where to go on.
 *
 * <p>A user's rows may be of any type, so there all live tables are asked, by one statement for
 * each {@link TableSql#groups group} of them.
 *
 * <p>COUNT and OFFSET are not used: both read what they skip.
 */
@Component
class TaskListStore {

  /** Rows of one table that one page looks at, at most. */
  private static final int LONG_LOOK = 20_000;

  /** Up to so many rows of a status in one table are sorted here instead of looked for. */
  private static final int RARE = 5_000;

  /** The same where only the index is read, and the alternative is dearer. */
  private static final int RARE_BESIDE_USERS = 20_000;

  /** Rows of a user in one table that are not worth two looks into an index. */
  private static final int HANDFUL = 100;

  /** Tables behind begin that one look for a user's rows goes over. */
  private static final int MOST_AT_ONCE = 50;

  /** Rows of a user in one table that one page looks at, unless the page itself is large. */
  private static final int SLICE_OF_USER = 500;

  private static final TableSql LOOK_BACK =
      new TableSql(
          """
          SELECT id, status
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id < :before
          ORDER BY id DESC
          LIMIT :look
          """);

  private static final TableSql LOOK_BACK_OF_USER =
      new TableSql(
          """
          SELECT id, status
          FROM %s FORCE INDEX (idx_user)
          WHERE user_id = :user
            AND id < :before
          ORDER BY id DESC
          LIMIT :look
          """);

  /** Reads the index alone. */
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

  /** Reads the index alone. */
  static final TableSql OF_STATUS =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (idx_claim)
          WHERE status IN (:statuses)
          LIMIT :limit
          """);

  /** Counts no further than a limit, so that ids of a frequent status are not sent in vain. */
  private static final TableSql COUNT_OF_STATUS =
      new TableSql(
          """
          SELECT COUNT(*)
          FROM (
            SELECT id
            FROM %s FORCE INDEX (idx_claim)
            WHERE status IN (:statuses)
            LIMIT :limit) few
          """);

  /** What tells the table comes last, for the columns are read by their places. */
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
  private final TableSpanStore spans;

  TaskListStore(JdbcClient jdbc, TableSpanStore spans) {
    this.jdbc = jdbc;
    this.spans = spans;
  }

  /**
   * One page.
   *
   * @param continueBefore the number that the next page starts below; empty on the last page
   */
  record Page(List<TaskRow> rows, OptionalLong continueBefore) {}

  /**
   * The wanted rows of one table, newest first, complete down to {@code floor}.
   *
   * @param floor the lowest number looked at; 0 if no row is left below
   */
  private record Found(TaskTable table, List<Long> numbers, long floor) {

    /** Those of them that are also in a set which lacks none above the floor. */
    Found in(Set<Long> wanted) {
      return wanted.isEmpty()
          ? new Found(table, List.of(), 0)
          : new Found(table, numbers.stream().filter(wanted::contains).toList(), floor);
    }
  }

  /** Rows with numbers below {@code before} that have one of the statuses; empty for any. */
  Page newest(List<TaskFamily> families, Set<TaskStatus> statuses, int limit, long before) {
    return page(
        families,
        statuses,
        limit,
        before,
        1, // what lies behind is as costly as what is in front, and mostly not wanted
        tables ->
            tables.stream().map(table -> ofStatuses(table, statuses, limit, before)).toList());
  }

  /** The same for the rows of one user. */
  Page newestOfUser(
      List<TaskFamily> families, String user, Set<TaskStatus> statuses, int limit, long before) {
    return page(
        families,
        statuses,
        limit,
        before,
        MOST_AT_ONCE,
        tables ->
            statuses.isEmpty()
                ? idsOfUser(tables, user, before, limit + 1)
                : ofUser(tables, user, statuses, limit, before));
  }

  /**
   * Looks at the live tables, and at those behind begin that can be on the page.
   *
   * @param mostAtOnce of those behind begin: one is looked at first, then four times as many each
   *     time
   */
  private Page page(
      List<TaskFamily> families,
      Set<TaskStatus> statuses,
      int limit,
      long before,
      int mostAtOnce,
      Function<List<TaskTable>, List<Found>> look) {
    List<TaskTable> live = families.stream().flatMap(f -> f.live().stream()).toList();
    List<Found> found = new ArrayList<>(look.apply(live));
    List<TaskTable> drained = families.stream().flatMap(f -> f.drained().stream()).toList();
    List<Span> newestFirst =
        spans.of(drained).stream()
            .filter(span -> span.lowest() < before)
            .sorted(Comparator.comparingLong(Span::highest).reversed())
            .toList();
    int atOnce = 1;
    for (int from = 0; from < newestFirst.size(); from += atOnce) {
      atOnce = from == 0 ? 1 : Math.min(4 * atOnce, mostAtOnce);
      if (isFilledAbove(newestFirst.get(from).highest(), found, limit)) {
        break;
      }
      List<Span> next = newestFirst.subList(from, Math.min(from + atOnce, newestFirst.size()));
      found.addAll(look.apply(next.stream().map(Span::table).toList()));
    }
    return merge(found, statuses, limit);
  }

  /** Whether neither this number nor a lower one can be on the page that these make. */
  private static boolean isFilledAbove(long number, List<Found> found, int limit) {
    boolean isBelowTheHorizon = found.stream().anyMatch(part -> part.floor() > number);
    return isBelowTheHorizon
        || found.stream()
                .flatMap(part -> part.numbers().stream())
                .filter(known -> known > number)
                .limit(limit + 1)
                .count()
            > limit;
  }

  private Found ofStatuses(TaskTable table, Set<TaskStatus> statuses, int limit, long before) {
    Found near = lookBack(table, statuses, shortLook(limit), before);
    return needsMore(near, limit)
        ? rare(table, statuses, before)
            .orElseGet(() -> lookBack(table, statuses, LONG_LOOK, before))
        : near;
  }

  private Found lookBack(TaskTable table, Set<TaskStatus> statuses, int look, long before) {
    Map<String, Object> params = Map.of("before", before, "look", look);
    return look(List.of(table), LOOK_BACK, params, statuses, look).get(0);
  }

  private List<Found> ofUser(
      List<TaskTable> tables, String user, Set<TaskStatus> statuses, int limit, long before) {
    List<TaskTable> withFew = new ArrayList<>();
    List<TaskTable> withMany = new ArrayList<>();
    for (Found newest : idsOfUser(tables, user, before, HANDFUL + 1)) {
      if (newest.floor() > 0) {
        withMany.add(newest.table());
      } else if (!newest.numbers().isEmpty()) {
        withFew.add(newest.table());
      }
    }
    List<Found> found = new ArrayList<>();
    List<TaskTable> toLookAt = new ArrayList<>(withFew);
    for (TaskTable table : withMany) {
      ofStatus(table, statuses, RARE_BESIDE_USERS)
          .map(HashSet::new)
          .ifPresentOrElse(
              rare ->
                  idsOfUser(List.of(table), user, before, LONG_LOOK)
                      .forEach(ids -> found.add(ids.in(rare))),
              () -> toLookAt.add(table));
    }
    int look = Math.max(SLICE_OF_USER, shortLook(limit));
    Map<String, Object> params = Map.of("user", user, "before", before, "look", look);
    found.addAll(look(toLookAt, LOOK_BACK_OF_USER, params, statuses, look));
    return found;
  }

  private List<Found> idsOfUser(List<TaskTable> tables, String user, long before, int limit) {
    Map<TaskTable, List<Long>> numbers = new HashMap<>();
    Map<String, Object> params = Map.of("user", user, "before", before, "limit", limit);
    ask(
        tables,
        IDS_OF_USER,
        params,
        (table, rs) ->
            numbers.computeIfAbsent(table, t -> new ArrayList<>()).add(rs.getLong("id")));
    return tables.stream()
        .map(
            table -> {
              List<Long> ids = numbers.getOrDefault(table, List.of());
              return new Found(table, ids, ids.size() < limit ? 0 : ids.get(limit - 1));
            })
        .toList();
  }

  /** The rows after this number, oldest first. */
  List<TaskRow> oldestAfter(long number, TaskTable table, int limit) {
    return jdbc.sql(OLDEST_AFTER.of(table))
        .param("after", number)
        .param("limit", limit)
        .query(TaskStore.rowsOf(table))
        .list();
  }

  private static int shortLook(int limit) {
    return 4 * limit + 1;
  }

  private static boolean needsMore(Found found, int limit) {
    return found.floor() > 0 && found.numbers().size() <= limit;
  }

  /** What a look backwards has seen of a table so far. */
  private static final class Seen {
    private final List<Long> wanted = new ArrayList<>();
    private int rows;
    private long lowest;

    Found in(TaskTable table, int look) {
      return new Found(table, wanted, rows < look ? 0 : lowest);
    }
  }

  private List<Found> look(
      List<TaskTable> tables,
      TableSql back,
      Map<String, Object> params,
      Set<TaskStatus> statuses,
      int look) {
    Map<TaskTable, Seen> seen = new HashMap<>();
    tables.forEach(table -> seen.put(table, new Seen()));
    ask(
        tables,
        back,
        params,
        (table, rs) -> {
          Seen ofTable = seen.get(table);
          ofTable.rows++;
          ofTable.lowest = rs.getLong("id");
          if (isWanted(TaskStatus.ofCode(rs.getInt("status")), statuses)) {
            ofTable.wanted.add(ofTable.lowest);
          }
        });
    return tables.stream().map(table -> seen.get(table).in(table, look)).toList();
  }

  /** Takes a row of one of the tables that were asked. */
  private interface RowOfTable {
    void take(TaskTable table, ResultSet row) throws SQLException;
  }

  private void ask(
      List<TaskTable> tables, TableSql each, Map<String, Object> params, RowOfTable rows) {
    for (List<TaskTable> group : TableSql.groups(tables)) {
      jdbc.sql(each.ofAll(group))
          .params(params)
          .query(
              rs -> {
                rows.take(group.get(rs.getInt("source")), rs);
              });
    }
  }

  private static boolean isWanted(TaskStatus status, Set<TaskStatus> statuses) {
    return statuses.isEmpty() || statuses.contains(status);
  }

  /** All rows of these statuses below {@code before}; empty if they are too many to sort. */
  private Optional<Found> rare(TaskTable table, Set<TaskStatus> statuses, long before) {
    if (statuses.isEmpty()) {
      return Optional.empty();
    }
    return ofStatus(table, statuses, RARE)
        .map(all -> all.stream().filter(n -> n < before).sorted(Comparator.reverseOrder()).toList())
        .map(wanted -> new Found(table, wanted, 0));
  }

  /** All rows of these statuses, in no order; empty if they are more than {@code most}. */
  private Optional<List<Long>> ofStatus(TaskTable table, Set<TaskStatus> statuses, int most) {
    List<Integer> codes = statuses.stream().map(TaskStatus::code).toList();
    int count =
        jdbc.sql(COUNT_OF_STATUS.of(table))
            .param("statuses", codes)
            .param("limit", most + 1)
            .query(Integer.class)
            .single();
    if (count == 0 || count > most) {
      return count == 0 ? Optional.of(List.of()) : Optional.empty();
    }
    List<Long> all =
        jdbc.sql(OF_STATUS.of(table))
            .param("statuses", codes)
            .param("limit", most + 1)
            .query(Long.class)
            .list();
    // More may have come since they were counted, and of these it would be some that are missing.
    return all.size() > most ? Optional.empty() : Optional.of(all);
  }

  /** A row that may be on a page. */
  private record Candidate(long number, TaskTable table) {}

  /** Only down to the highest floor is every table's part known. */
  private Page merge(List<Found> found, Set<TaskStatus> statuses, int limit) {
    long horizon = found.stream().mapToLong(Found::floor).max().orElse(0);
    List<Candidate> known = new ArrayList<>();
    for (Found part : found) {
      for (long number : part.numbers()) {
        if (number >= horizon) {
          known.add(new Candidate(number, part.table()));
        }
      }
    }
    known.sort(Comparator.comparingLong(Candidate::number).reversed());
    List<Candidate> page = known.subList(0, Math.min(limit, known.size()));

    List<TaskRow> rows = new ArrayList<>(page.size());
    AnswerRoom room = new AnswerRoom();
    for (int from = 0; from < page.size(); from += TaskLimits.SLICE) {
      int to = Math.min(from + TaskLimits.SLICE, page.size());
      for (TaskRow row : newestFirst(page.subList(from, to))) {
        if (!isWanted(row.status(), statuses)) {
          continue; // it has changed since the look
        }
        if (!room.take(AnswerRoom.bytesOf(row))) {
          return new Page(rows, OptionalLong.of(rows.get(rows.size() - 1).id().number()));
        }
        rows.add(row);
      }
    }
    if (known.size() > limit) {
      return new Page(rows, OptionalLong.of(page.get(limit - 1).number()));
    }
    return new Page(rows, horizon > 0 ? OptionalLong.of(horizon) : OptionalLong.empty());
  }

  private List<TaskRow> newestFirst(List<Candidate> some) {
    Map<TaskTable, List<Long>> numbers = new LinkedHashMap<>();
    some.forEach(c -> numbers.computeIfAbsent(c.table(), t -> new ArrayList<>()).add(c.number()));
    List<TaskRow> rows = rowsOf(numbers);
    rows.sort(Comparator.comparingLong((TaskRow row) -> row.id().number()).reversed());
    return rows;
  }

  /** The rows of these numbers that exist, in no order. */
  private List<TaskRow> rowsOf(Map<TaskTable, List<Long>> numbers) {
    List<TaskRow> rows = new ArrayList<>();
    for (List<TaskTable> group : TableSql.groups(List.copyOf(numbers.keySet()))) {
      List<String> parts = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (TaskTable table : group) {
        List<Long> ids = numbers.get(table);
        values.add(parts.size());
        values.addAll(ids);
        parts.add(BY_IDS.of(table) + "?" + ", ?".repeat(ids.size() - 1) + ")");
      }
      jdbc.sql(String.join("\nUNION ALL\n", parts))
          .params(values)
          .query(
              rs -> {
                TaskTable table = group.get(rs.getInt("source"));
                rows.add(TaskStore.rowsOf(table).mapRow(rs, rows.size()));
              });
    }
    return rows;
  }
}
