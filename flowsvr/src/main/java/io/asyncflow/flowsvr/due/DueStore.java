package io.asyncflow.flowsvr.due;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements that find out, without a lock, what is due.
 *
 * <p>All of them rest on {@code idx_claim (status, task_stage, order_time)}: the waiting tasks of
 * one stage are one contiguous range of it in the order of their due times (and, among equals, of
 * their ids, which InnoDB appends). So a look reads what it answers, however many tasks wait, are
 * delayed, or belong to other stages. ClaimPlanIT holds both engines to that.
 */
@Component
public class DueStore {

  public static final TableSql HEAD_OF_SOURCE =
      new TableSql(
          """
          SELECT id, order_time, now_ms AS db_now
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage = ?
            AND order_time >= ?
          ORDER BY order_time, id
          LIMIT ?
          """);

  /** One step into the index: of the next stage that any task waits for, the first task. */
  static final TableSql HEAD_OF_NEXT_STAGE =
      new TableSql(
          """
          SELECT task_stage, id, order_time, now_ms AS db_now
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage > ?
          ORDER BY task_stage, order_time
          LIMIT 1
          """);

  /**
   * The least due time of a source, for the scan of many. It is found while the statement is
   * planned, by one step into the index. In one line: the scan has hundreds of these.
   */
  static final TableSql LEAST_OF_SOURCE =
      new TableSql(
          "SELECT 'due',<place>,MIN(order_time),0 FROM %s FORCE INDEX (idx_claim)"
              + " WHERE status=1 AND task_stage=?");

  /** One step into the index: whether any task waits for a stage behind this one. */
  static final TableSql STAGES_BEHIND =
      new TableSql(
          "(SELECT 'stages',<place>,1,0 FROM %s FORCE INDEX (idx_claim)"
              + " WHERE status=1 AND task_stage>? LIMIT 1)");

  /** The same, and before another one. */
  static final TableSql STAGES_BETWEEN =
      new TableSql(
          "(SELECT 'stages',<place>,1,0 FROM %s FORCE INDEX (idx_claim)"
              + " WHERE status=1 AND task_stage>? AND task_stage<? LIMIT 1)");

  private static final String POSITION_OF_TYPE =
      "SELECT 'tables',<place>,schedule_begin_pos,schedule_end_pos FROM t_schedule_pos"
          + " WHERE task_type=?";

  /**
   * The clock, and how many servers may have news that no message tells; each has borrowed a number
   * before it serves.
   */
  private static final String SERVERS =
      sql(
          """
          SELECT 'servers' AS kind, 0 AS place, COUNT(*) AS low, now_ms AS high
          FROM t_server_number
          WHERE lease_end > now_ms
          """);

  /** What changes rarely and a look must not miss: where the tables are. */
  private static final String POSITION =
      """
      SELECT 'tables' AS kind, 0 AS place, schedule_begin_pos AS id, schedule_end_pos AS order_time,
        0 AS db_now
      FROM t_schedule_pos
      WHERE task_type = ?
      """;

  private static final String REPEATS =
      """
      UNION ALL
      SELECT 'repeats', 0, COUNT(*), 0, 0
      FROM t_hold
      WHERE task_type = ?
        AND (worker_id = ? AND hold_id = ?""";

  /** One step into the index, however many tasks a stage has. */
  private static final String NEXT_STAGE =
      """
      (
      SELECT MIN(task_stage)
      FROM %s FORCE INDEX (idx_claim)
      WHERE status = 1
        AND task_stage > :after)""";

  private static final int FEW_ENTRIES = 64;
  private static final int MORE_ENTRIES = 256;

  /** Mostly this finds all: few tasks wait in an old table. */
  private static final TableSql FIRST_STAGES = nextStages(0, FEW_ENTRIES);

  private static final TableSql MORE_STAGES = nextStages(4, MORE_ENTRIES);

  /**
   * The stages of the next entries of the index, and how many entries each has of these, which
   * finds many stages that have few tasks; and those that steps come to, each from where the one
   * before came to, which finds some that have many. The last step is NULL where there are no more.
   *
   * <p>GROUP BY alone would ask once for all stages, but only MySQL can do that by steps into the
   * index, and neither engine can in a recursive expression: they read every waiting task.
   */
  private static TableSql nextStages(int steps, int entries) {
    StringBuilder parts = new StringBuilder();
    String step = ":after";
    for (int i = 0; i < steps; i++) {
      step = NEXT_STAGE.replace(":after", step);
      parts.append("SELECT ").append(step).append(" AS stage, 0 AS entries\nUNION ALL\n");
    }
    return new TableSql(
        """
        SELECT stage, SUM(entries) AS entries
        FROM (
          <steps>SELECT task_stage AS stage, 1 AS entries
          FROM (
            SELECT task_stage
            FROM %s FORCE INDEX (idx_claim)
            WHERE status = 1
              AND task_stage > :after
            ORDER BY task_stage, order_time
            LIMIT <entries>) waiting) found
        GROUP BY stage
        ORDER BY stage
        """
            .replace("<steps>", parts)
            .replace("<entries>", String.valueOf(entries)));
  }

  /** A look at stages that nobody names sees no more than these. */
  static final int SOURCES_A_LOOK = 200;

  private static final int RANGES_A_STATEMENT = 50;

  private final JdbcClient jdbc;

  DueStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * What a look saw.
   *
   * @param heads the first tasks of each range, due or not, in order within each
   * @param begin number of the type's first live table; 0 if it was not asked for
   * @param end number of its last table
   * @param hasRepeats whether any of the holds that were asked about was given something before
   */
  record Seen(List<Head> heads, int begin, int end, boolean hasRepeats) {}

  /**
   * The first waiting task of the stage that comes next after each of these, due or not; none where
   * it was the last. In one statement.
   */
  public List<Head> headsOfNextStages(List<Source> after) {
    return jdbc.sql(HEAD_OF_NEXT_STAGE.ofAll(after.stream().map(Source::table).toList()))
        .params(after.stream().map(Source::stage).toList())
        .query(
            (rs, row) ->
                new Head(
                    new Source(after.get(rs.getInt("source")).table(), rs.getString("task_stage")),
                    rs.getLong("id"),
                    rs.getLong("order_time"),
                    rs.getLong("db_now")))
        .list();
  }

  /**
   * The stages that any task waits for, in order, some at a time.
   *
   * @param after only those after this one; no stage is called ""
   * @param most at most so many, at least 1
   */
  public List<String> waitingStages(TaskTable table, String after, int most) {
    List<String> stages = new ArrayList<>();
    boolean isEnd = addStages(FIRST_STAGES, FEW_ENTRIES, table, after, stages);
    while (!isEnd && stages.size() < most) {
      String last = stages.get(stages.size() - 1);
      isEnd = addStages(MORE_STAGES, MORE_ENTRIES, table, last, stages);
    }
    return stages.size() <= most ? stages : stages.subList(0, most);
  }

  /** Returns whether there are no more. */
  private boolean addStages(
      TableSql next, int most, TaskTable table, String after, List<String> stages) {
    int[] entries = new int[1];
    boolean[] isEnd = new boolean[1];
    jdbc.sql(next.of(table))
        .param("after", after)
        .query(
            rs -> {
              String stage = rs.getString("stage");
              entries[0] += rs.getInt("entries");
              if (stage == null) {
                isEnd[0] = true;
              } else {
                stages.add(stage);
              }
            });
    return isEnd[0] || entries[0] < most;
  }

  /**
   * Sources in which any task waits, in order, some at a time.
   *
   * @param last the last one; {@code null} if there are no more behind it
   */
  record Sources(List<Source> sources, Source last) {}

  /**
   * The next {@link #SOURCES_A_LOOK} of the sources in which any task waits.
   *
   * @param behind where they begin; a stage "" is before all those of its table
   */
  Sources waitingSources(List<TaskTable> tables, Source behind) {
    List<Source> found = new ArrayList<>();
    for (TaskTable table : tables) {
      if (table.compareTo(behind.table()) < 0) {
        continue;
      }
      String after = table.equals(behind.table()) ? behind.stage() : "";
      waitingStages(table, after, SOURCES_A_LOOK - found.size())
          .forEach(stage -> found.add(new Source(table, stage)));
      if (found.size() == SOURCES_A_LOOK) {
        return new Sources(found, found.get(found.size() - 1));
      }
    }
    return new Sources(found, null);
  }

  /** The first tasks of each range, due or not, without a lock; a statement asks fifty ranges. */
  public List<Head> heads(List<Range> ranges, int limit) {
    return heads(ranges, range -> limit);
  }

  private List<Head> heads(List<Range> ranges, ToIntFunction<Range> limit) {
    List<Head> heads = new ArrayList<>();
    for (int from = 0; from < ranges.size(); from += RANGES_A_STATEMENT) {
      List<Range> some = ranges.subList(from, Math.min(from + RANGES_A_STATEMENT, ranges.size()));
      List<Object> values = new ArrayList<>();
      String sql = String.join("UNION ALL\n", headsSql(some, limit, values));
      heads.addAll(look(sql, values, some).heads());
    }
    return heads;
  }

  /** The same, and what else a claim wants to know, in the first of these statements. */
  Seen look(TaskType type, List<Range> ranges, int limit, Collection<HoldKey> repeatable) {
    return look(type, ranges, range -> limit, repeatable);
  }

  /**
   * The same.
   *
   * @param limit as many heads of each range
   */
  Seen look(
      TaskType type,
      List<Range> ranges,
      ToIntFunction<Range> limit,
      Collection<HoldKey> repeatable) {
    List<Object> values = new ArrayList<>();
    values.add(type.name());
    StringBuilder sql = new StringBuilder(POSITION);
    if (!repeatable.isEmpty()) {
      sql.append(REPEATS);
      sql.append("\n    OR worker_id = ? AND hold_id = ?".repeat(repeatable.size() - 1));
      sql.append(")\n");
      values.add(type.name());
      repeatable.forEach(hold -> values.addAll(List.of(hold.workerId(), hold.holdId())));
    }
    int most = Math.min(RANGES_A_STATEMENT, ranges.size());
    List<Range> first = ranges.subList(0, most);
    headsSql(first, limit, values).forEach(head -> sql.append("UNION ALL\n").append(head));
    Seen seen = look(sql.toString(), values, first);
    seen.heads().addAll(heads(ranges.subList(most, ranges.size()), limit));
    return seen;
  }

  /**
   * What a scan saw.
   *
   * @param heads the first task of each source that has any, due or not, without its number
   * @param newStages of the gaps, the tables in which a task waits for a stage in one of them
   * @param tables of each type, the numbers of its first live table and of its last
   * @param servers how many servers live
   */
  public record Scan(
      Map<Source, Head> heads,
      Set<TaskTable> newStages,
      Map<TaskType, Position> tables,
      int servers) {}

  /**
   * The stages of a table that come after one and before another, without these.
   *
   * @param after "" for the beginning; no stage is called so
   * @param before {@code null} for the end
   */
  public record Gap(TaskTable table, String after, String before) {}

  /** The numbers of a type's first live table and of its last one. */
  public record Position(int begin, int end) {}

  /**
   * Looks at the beginning of all these sources, whatever their types, and into the gaps, by one
   * statement.
   */
  public Scan scan(List<TaskType> types, List<Source> sources, List<Gap> gaps) {
    StringBuilder sql = new StringBuilder(SERVERS);
    List<Object> values = new ArrayList<>(types.size() + sources.size() + 2 * gaps.size());
    for (int i = 0; i < types.size(); i++) {
      add(sql, POSITION_OF_TYPE, i);
      values.add(types.get(i).name());
    }
    for (int i = 0; i < sources.size(); i++) {
      add(sql, LEAST_OF_SOURCE.of(sources.get(i).table()), i);
      values.add(sources.get(i).stage());
    }
    for (int i = 0; i < gaps.size(); i++) {
      Gap gap = gaps.get(i);
      boolean isLast = gap.before() == null;
      add(sql, (isLast ? STAGES_BEHIND : STAGES_BETWEEN).of(gap.table()), i);
      values.add(gap.after());
      if (!isLast) {
        values.add(gap.before());
      }
    }
    Map<Source, Long> least = new HashMap<>();
    Set<TaskTable> newStages = new HashSet<>();
    Map<TaskType, Position> tables = new HashMap<>();
    long[] now = new long[1];
    int[] servers = new int[1];
    jdbc.sql(sql.toString())
        .params(values)
        .query(
            rs -> {
              int place = rs.getInt("place");
              long high = rs.getLong("high");
              long low = rs.getLong("low");
              boolean isNone = rs.wasNull();
              switch (rs.getString("kind")) {
                case "servers" -> {
                  servers[0] = (int) low;
                  now[0] = high;
                }
                case "tables" -> tables.put(types.get(place), new Position((int) low, (int) high));
                case "stages" -> newStages.add(gaps.get(place).table());
                default -> {
                  if (!isNone) {
                    least.put(sources.get(place), low);
                  }
                }
              }
            });
    Map<Source, Head> heads = new HashMap<>();
    least.forEach((source, orderTime) -> heads.put(source, new Head(source, 0, orderTime, now[0])));
    return new Scan(heads, newStages, tables, servers[0]);
  }

  private static void add(StringBuilder sql, String part, int place) {
    sql.append("UNION ALL ").append(part.replace("<place>", Integer.toString(place))).append('\n');
  }

  private static List<String> headsSql(
      List<Range> ranges, ToIntFunction<Range> limit, List<Object> values) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < ranges.size(); i++) {
      Range range = ranges.get(i);
      Source source = range.source();
      parts.add(
          "SELECT 'due' AS kind, %d AS place, h.* FROM (\n%s) h\n"
              .formatted(i, HEAD_OF_SOURCE.of(source.table())));
      values.addAll(List.of(source.stage(), range.from(), limit.applyAsInt(range)));
    }
    return parts;
  }

  private Seen look(String sql, List<Object> values, List<Range> ranges) {
    List<Head> heads = new ArrayList<>();
    int[] position = new int[2];
    boolean[] hasRepeats = new boolean[1];
    jdbc.sql(sql)
        .params(values)
        .query(
            rs -> {
              long id = rs.getLong("id");
              long orderTime = rs.getLong("order_time");
              switch (rs.getString("kind")) {
                case "tables" -> {
                  position[0] = (int) id;
                  position[1] = (int) orderTime;
                }
                case "repeats" -> hasRepeats[0] = id > 0;
                default -> {
                  Source source = ranges.get(rs.getInt("place")).source();
                  heads.add(new Head(source, id, orderTime, rs.getLong("db_now")));
                }
              }
            });
    return new Seen(heads, position[0], position[1], hasRepeats[0]);
  }
}
