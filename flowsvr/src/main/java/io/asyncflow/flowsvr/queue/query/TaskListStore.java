package io.asyncflow.flowsvr.queue.query;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Lists of tasks over many tables, newest first. Thread-safe.
 *
 * <p>A family may have hundreds of tables behind begin. Their first numbers behind the cursor tell
 * which of them can be on a page: of most tables, a full page reads nothing else; only a page that
 * is not full reads all of them.
 *
 * <p>A page is read in two steps: first the ids, by reading ids and statuses only, then the rows by
 * their ids, slice by slice, while their texts fit into the answer. If all statuses are wanted, or
 * most rows have a wanted one, a short scan backwards from the cursor finds the ids (the primary
 * key is in the order of creation, and so is {@code idx_user} within a user). If it does not,
 * {@code idx_claim} tells whether few rows have the status: then all of these are sorted in memory.
 * Otherwise the scan continues for {@value #LONG_LOOK} rows, and the page's cursor tells where it
 * ended.
 *
 * <p>The rows of a user are scattered, so each row visit may be a disk read. If few rows of a table
 * have a wanted status, the user's rows are found without visits: by intersecting the ids of both
 * indexes. Otherwise {@value #SLICE_OF_USER} rows are visited, or four times the page's limit, and
 * the page's cursor tells where the scan ended.
 *
 * <p>A user's rows may be of any type, so all live tables are read, by one statement per {@link
 * TableSql#groups group}.
 *
 * <p>COUNT and OFFSET are not used, because both read the rows that they skip.
 */
@Component
class TaskListStore {

  /** The most rows of one table that one page visits. */
  private static final int LONG_LOOK = 20_000;

  /** The most rows of a status in one table that are sorted in memory instead of scanned for. */
  private static final int RARE = 5_000;

  /**
   * The same limit for a user's rows, where only indexes are read and the alternative costs more.
   */
  private static final int RARE_FOR_USER = 20_000;

  /**
   * The most rows of a user in one table that are visited without reading the status index first.
   */
  private static final int FEW_OF_USER = 100;

  /** The most tables behind begin that one statement for a user's rows reads. */
  private static final int MAX_TABLES_AT_ONCE = 50;

  /** The most rows of a user in one table that one page visits, unless the page itself is large. */
  private static final int SLICE_OF_USER = 500;

  private static final TableSql LOOK_BACK =
      new TableSql(
          """
          SELECT id, status
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id < :before
          ORDER BY id DESC
          LIMIT :limit
          """);

  private static final TableSql LOOK_BACK_OF_USER =
      new TableSql(
          """
          SELECT id, status
          FROM %s FORCE INDEX (idx_user)
          WHERE user_id = :user
            AND id < :before
          ORDER BY id DESC
          LIMIT :limit
          """);

  /** Reads only the index. */
  static final TableSql IDS_OF_USER =
      new TableSql(
          """
          SELECT id, 1 AS status
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

  private static final Set<TaskStatus> ANY = Set.of();

  private final JdbcClient jdbc;

  TaskListStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * One page.
   *
   * @param continueBefore the number below which the next page starts; empty on the last page
   */
  record Page(List<TaskRow> rows, OptionalLong continueBefore) {}

  /**
   * The ids of the wanted rows of one table, newest first, complete down to {@code floor}.
   *
   * @param floor the lowest number visited; 0 if no lower one exists
   */
  private record Found(TaskTable table, List<Long> numbers, long floor) {

    /** Those of them that are also in a set, which is complete above the floor. */
    Found in(Set<Long> wanted) {
      return wanted.isEmpty()
          ? new Found(table, List.of(), 0)
          : new Found(table, numbers.stream().filter(wanted::contains).toList(), floor);
    }
  }

  /**
   * Rows of these users with numbers below {@code before} that have one of the statuses; empty for
   * any.
   */
  Page newest(
      List<TaskFamily> families, Set<TaskStatus> statuses, int limit, long before, Names users) {
    return page(
        families,
        statuses,
        limit,
        before,
        1, // older tables cost as much as the first, and are mostly not needed
        tables ->
            tables.stream()
                .map(
                    table ->
                        users.isAll()
                            ? ofStatuses(table, statuses, limit, before)
                            : ofUsers(table, users, statuses, limit, before))
                .toList());
  }

  /** As {@link #newest}, for the rows of one user. */
  Page newestOfUser(
      List<TaskFamily> families, String user, Set<TaskStatus> statuses, int limit, long before) {
    return page(
        families,
        statuses,
        limit,
        before,
        MAX_TABLES_AT_ONCE,
        tables ->
            statuses.isEmpty()
                ? idsOfUser(tables, user, before, limit + 1)
                : ofUser(tables, user, statuses, limit, before));
  }

  /**
   * Reads the live tables, and those behind begin that can be on the page.
   *
   * @param mostAtOnce the most tables behind begin per round; the first round reads one, each next
   *     one eight times as many
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
    List<Found> newestFirst =
        look(drained, LOOK_BACK, Map.of("before", before, "limit", 1), ANY, 1).stream()
            .filter(head -> !head.numbers().isEmpty())
            .sorted(Comparator.comparing((Found head) -> head.numbers().get(0)).reversed())
            .toList();
    int atOnce = 1;
    for (int start = 0; start < newestFirst.size(); start += atOnce) {
      atOnce = start == 0 ? 1 : Math.min(8 * atOnce, mostAtOnce);
      if (isFilledAbove(newestFirst.get(start).numbers().get(0), found, limit)) {
        break;
      }
      List<Found> next = newestFirst.subList(start, Math.min(start + atOnce, newestFirst.size()));
      found.addAll(look.apply(next.stream().map(Found::table).toList()));
    }
    return merge(found, statuses, limit);
  }

  /** Whether the page is complete without this number and all lower ones. */
  private static boolean isFilledAbove(long number, List<Found> found, int limit) {
    boolean isBelowHorizon = found.stream().anyMatch(part -> part.floor() > number);
    return isBelowHorizon
        || found.stream()
                .flatMap(part -> part.numbers().stream())
                .filter(wanted -> wanted > number)
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

  /** Rows of other users are not visited, so that no cursor is the number of one. */
  private Found ofUsers(
      TaskTable table, Names users, Set<TaskStatus> statuses, int limit, long before) {
    int look = Math.max(SLICE_OF_USER, shortLook(limit));
    Map<String, Object> params = new HashMap<>(Map.of("before", before, "limit", look));
    TableSql scan =
        new TableSql(
            """
            SELECT id, status
            FROM %s FORCE INDEX (PRIMARY)
            WHERE id < :before
            """
                + users.and("user_id", "user", params)
                + "ORDER BY id DESC\nLIMIT :limit");
    return look(List.of(table), scan, params, statuses, look).get(0);
  }

  private Found lookBack(TaskTable table, Set<TaskStatus> statuses, int look, long before) {
    Map<String, Object> params = Map.of("before", before, "limit", look);
    return look(List.of(table), LOOK_BACK, params, statuses, look).get(0);
  }

  private List<Found> ofUser(
      List<TaskTable> tables, String user, Set<TaskStatus> statuses, int limit, long before) {
    List<TaskTable> withFew = new ArrayList<>();
    List<TaskTable> withMany = new ArrayList<>();
    for (Found newest : idsOfUser(tables, user, before, FEW_OF_USER + 1)) {
      if (newest.floor() > 0) {
        withMany.add(newest.table());
      } else if (!newest.numbers().isEmpty()) {
        withFew.add(newest.table());
      }
    }
    List<Found> found = new ArrayList<>();
    List<TaskTable> toLookAt = new ArrayList<>(withFew);
    for (TaskTable table : withMany) {
      ofStatus(table, statuses, RARE_FOR_USER)
          .map(HashSet::new)
          .ifPresentOrElse(
              rare ->
                  idsOfUser(List.of(table), user, before, LONG_LOOK)
                      .forEach(ids -> found.add(ids.in(rare))),
              () -> toLookAt.add(table));
    }
    int look = Math.max(SLICE_OF_USER, shortLook(limit));
    Map<String, Object> params = Map.of("user", user, "before", before, "limit", look);
    found.addAll(look(toLookAt, LOOK_BACK_OF_USER, params, statuses, look));
    return found;
  }

  private List<Found> idsOfUser(List<TaskTable> tables, String user, long before, int limit) {
    Map<String, Object> params = Map.of("user", user, "before", before, "limit", limit);
    return look(tables, IDS_OF_USER, params, ANY, limit);
  }

  /** The rows with greater numbers, oldest first. */
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

  /** The rows of a table that a scan backwards has visited. */
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
      TableSql scan,
      Map<String, Object> params,
      Set<TaskStatus> statuses,
      int look) {
    List<Found> found = new ArrayList<>();
    for (List<TaskTable> group : TableSql.groups(tables)) {
      List<Seen> seen = group.stream().map(table -> new Seen()).toList();
      jdbc.sql(scan.ofAll(group))
          .params(params)
          .query(
              rs -> {
                Seen ofTable = seen.get(rs.getInt("source"));
                ofTable.rows++;
                ofTable.lowest = rs.getLong("id");
                if (isWanted(TaskStatus.ofCode(rs.getInt("status")), statuses)) {
                  ofTable.wanted.add(ofTable.lowest);
                }
              });
      for (int i = 0; i < group.size(); i++) {
        found.add(seen.get(i).in(group.get(i), look));
      }
    }
    return found;
  }

  private static boolean isWanted(TaskStatus status, Set<TaskStatus> statuses) {
    return statuses.isEmpty() || statuses.contains(status);
  }

  /**
   * The ids of all rows of these statuses below {@code before}; empty if there are too many to
   * sort.
   */
  private Optional<Found> rare(TaskTable table, Set<TaskStatus> statuses, long before) {
    if (statuses.isEmpty()) {
      return Optional.empty();
    }
    return ofStatus(table, statuses, RARE)
        .map(
            numbers ->
                numbers.stream().filter(n -> n < before).sorted(Comparator.reverseOrder()).toList())
        .map(wanted -> new Found(table, wanted, 0));
  }

  /**
   * The ids of all rows of these statuses, in no order; empty if there are more than {@code most}.
   */
  private Optional<List<Long>> ofStatus(TaskTable table, Set<TaskStatus> statuses, int most) {
    List<Integer> codes = statuses.stream().map(TaskStatus::code).toList();
    int count =
        jdbc.sql(COUNT_OF_STATUS.of(table))
            .param("statuses", codes)
            .param("limit", most + 1)
            .query(Integer.class)
            .single();
    if (count > most) {
      return Optional.empty();
    }
    List<Long> numbers =
        jdbc.sql(OF_STATUS.of(table))
            .param("statuses", codes)
            .param("limit", most + 1)
            .query(Long.class)
            .list();
    // Rows may have been added since the count; then the list may lack some.
    return numbers.size() > most ? Optional.empty() : Optional.of(numbers);
  }

  /** Merges the tables' ids into a page. All tables are complete only down to the highest floor. */
  private Page merge(List<Found> found, Set<TaskStatus> statuses, int limit) {
    long horizon = found.stream().mapToLong(Found::floor).max().orElse(0);
    List<TaskId> candidates =
        found.stream()
            .flatMap(part -> part.numbers().stream().map(n -> new TaskId(n, part.table())))
            .filter(id -> id.number() >= horizon)
            .sorted(Comparator.comparingLong(TaskId::number).reversed())
            .toList();
    List<TaskId> page = candidates.subList(0, Math.min(limit, candidates.size()));

    List<TaskRow> rows = new ArrayList<>(page.size());
    AnswerRoom room = new AnswerRoom();
    for (List<TaskId> slice : StatementGroups.of(page, AnswerRoom.SLICE)) {
      for (TaskRow row : newestFirst(slice)) {
        if (!isWanted(row.status(), statuses)) {
          continue; // it has changed since its id was read
        }
        if (!room.take(AnswerRoom.bytesOf(row))) {
          return new Page(rows, OptionalLong.of(rows.get(rows.size() - 1).id().number()));
        }
        rows.add(row);
      }
    }
    if (candidates.size() > limit) {
      return new Page(rows, OptionalLong.of(page.get(limit - 1).number()));
    }
    return new Page(rows, horizon > 0 ? OptionalLong.of(horizon) : OptionalLong.empty());
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
