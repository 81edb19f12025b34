package io.asyncflow.flowsvr.queue.due;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.Collections.nCopies;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.TaskIndexStore;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements that find due tasks without a lock. Thread-safe.
 *
 * <p>They depend on {@code idx_claim (status, task_stage, lane, order_time)}: the waiting tasks of
 * one stage and one lane are one contiguous range of it, ordered by due time and then by id, which
 * InnoDB appends. So a look reads only the entries that it returns, however many tasks wait, are
 * delayed, or belong to other stages. ClaimPlanIT checks this on both engines.
 */
@Component
public class DueStore extends TaskIndexStore {

  private static final String HEAD_TEXT =
      """
          SELECT id, order_time, now_ms AS db_now
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage = ?
            AND lane = <lane>
            AND order_time >= ?
          ORDER BY order_time, id
          LIMIT ?
          """;

  public static final TableSql HEAD_OF_SOURCE = new TableSql(HEAD_TEXT.replace("<lane>", "''"));
  public static final TableSql HEAD_OF_LANE = new TableSql(HEAD_TEXT.replace("<lane>", "?"));

  /**
   * The least due time of a source, for the scan. The optimizer resolves it by one index access
   * while it plans the statement. In one line, because a scan has hundreds of these.
   */
  static final TableSql LEAST_OF_SOURCE =
      new TableSql(
          "SELECT 'due',<place>,MIN(order_time),0 FROM %s FORCE INDEX (idx_claim)"
              + " WHERE status=1 AND task_stage=? AND lane=''");

  /** Whether any task waits for a stage behind this one, by one index access. */
  static final TableSql STAGES_BEHIND =
      new TableSql(
          "(SELECT 'stages',<place>,1,0 FROM %s FORCE INDEX (idx_claim)"
              + " WHERE status=1 AND task_stage>? LIMIT 1)");

  /** As STAGES_BEHIND, for stages that also come before another one. */
  static final TableSql STAGES_BETWEEN =
      new TableSql(
          "(SELECT 'stages',<place>,1,0 FROM %s FORCE INDEX (idx_claim)"
              + " WHERE status=1 AND task_stage>? AND task_stage<? LIMIT 1)");

  private static final String POSITION_OF_TYPE =
      "SELECT IF(lanes=0,'tables','lanes'),<place>,schedule_begin_pos,schedule_end_pos"
          + " FROM t_schedule_pos WHERE task_type=?";

  /** The clock, and the number of live servers; each leases a number before it serves. */
  private static final String SERVERS =
      sql(
          """
          SELECT 'servers' AS kind, 0 AS place, COUNT(*) AS low, now_ms AS high
          FROM t_server_number
          WHERE lease_end > now_ms
          """);

  /** The type's live tables, which change rarely; every look checks them. */
  private static final String POSITION =
      """
      SELECT 'tables' AS kind, 0 AS place, schedule_begin_pos AS id, schedule_end_pos AS order_time,
        lanes AS db_now
      FROM t_schedule_pos
      WHERE task_type = ?
      """;

  /** Whether a family is as it is known, and nothing is due in it; see {@link #quietNow}. */
  private static final String QUIET =
      """
      SELECT now_ms, schedule_begin_pos >= ? AND schedule_end_pos = ? AND lanes = 0
      """;

  private static final TableSql NOTHING_DUE =
      new TableSql(
          """
            AND NOT EXISTS (
              SELECT 1
              FROM %s FORCE INDEX (idx_claim)
              WHERE status = 1
                AND lane = ''
                AND order_time <= now_ms
                AND task_stage IN (<stages>))
          """);

  private static final String OF_TYPE = "FROM t_schedule_pos\nWHERE task_type = ?";

  private static final String REPEATS =
      """
      UNION ALL
      SELECT 'repeats', 0, COUNT(*), 0, 0
      FROM t_hold
      WHERE task_type = ?
        AND (worker_id = ? AND hold_id = ?\
      """;

  /** One index access, however many tasks a stage has. */
  private static final String NEXT_STAGE =
      """
      (
      SELECT MIN(task_stage)
      FROM %s FORCE INDEX (idx_claim)
      WHERE status = 1
        AND task_stage > :after)\
      """;

  private static final int STEPS = 4;
  private static final int ENTRIES = 256;

  private static final TableSql NEXT_STAGES = nextStages();

  /**
   * The next stages. The next index entries, grouped by stage, find many stages with few tasks
   * each. Steps, each an index access behind the stage of the step before, find some stages with
   * many tasks each. A step behind the last stage returns NULL.
   *
   * <p>GROUP BY alone would find all stages, but only MySQL has a loose index scan for it, and
   * neither engine has one inside a recursive expression: they would read every waiting task.
   */
  private static TableSql nextStages() {
    StringBuilder parts = new StringBuilder();
    String step = ":after";
    for (int i = 0; i < STEPS; i++) {
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
            ORDER BY task_stage, lane, order_time
            LIMIT <entries>) waiting) found
        GROUP BY stage
        ORDER BY stage
        """
            .replace("<steps>", parts)
            .replace("<entries>", "" + ENTRIES));
  }

  /** The most sources of a look that names no stages. */
  static final int SOURCES_A_LOOK = 200;

  private static final int MAX_RANGES_PER_STATEMENT = 50;

  private final JdbcClient jdbc;

  DueStore(JdbcClient jdbc) {
    super(jdbc, () -> false);
    this.jdbc = jdbc;
  }

  /**
   * What a look saw.
   *
   * @param heads the first waiting tasks of each range, due or not, in order within each
   * @param tables the type's live tables; {@code null} if they were not read
   * @param hasRepeats whether an earlier delivery of one of the holds was given tasks
   */
  record Seen(List<Head> heads, Position tables, boolean hasRepeats) {
    static final Seen NOTHING = new Seen(List.of(), null, false);
  }

  /**
   * A page of the stages of a table's waiting tasks, in order.
   *
   * @param after the stage before the page; {@code ""}, which no stage is called, for the first
   *     page
   * @param most the most stages of the page, at least 1
   */
  public List<String> waitingStages(TaskTable table, String after, int most) {
    List<String> stages = new ArrayList<>();
    boolean isEnd = false;
    while (!isEnd && stages.size() < most) {
      String last = stages.isEmpty() ? after : stages.get(stages.size() - 1);
      List<Map<String, Object>> found =
          jdbc.sql(NEXT_STAGES.of(table)).param("after", last).query().listOfRows();
      int entries = 0;
      for (Map<String, Object> stage : found) {
        entries += ((Number) stage.get("entries")).intValue();
        if (stage.get("stage") == null) {
          isEnd = true;
        } else {
          stages.add((String) stage.get("stage"));
        }
      }
      isEnd |= entries < ENTRIES;
    }
    return stages.size() <= most ? stages : stages.subList(0, most);
  }

  /**
   * A page of the sources that have waiting tasks, in order.
   *
   * @param last the last one; {@code null} if no more follow
   */
  record Sources(List<Source> sources, Source last) {}

  /**
   * The next {@link #SOURCES_A_LOOK} sources that have waiting tasks.
   *
   * @param behind the source before them; the stage {@code ""} is before all stages of its table
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

  /**
   * The first waiting tasks of each range, due or not, read without a lock. One statement reads at
   * most fifty ranges.
   */
  public List<Head> heads(List<Range> ranges, int limit) {
    return heads(ranges, range -> limit);
  }

  private List<Head> heads(List<Range> ranges, ToIntFunction<Range> limit) {
    List<Head> heads = new ArrayList<>();
    for (List<Range> group : StatementGroups.of(ranges, MAX_RANGES_PER_STATEMENT)) {
      List<Object> values = new ArrayList<>();
      String sql = String.join("UNION ALL\n", headsSql(group, limit, values));
      heads.addAll(read(sql, values, group).heads());
    }
    return heads;
  }

  /**
   * As {@link #heads}, with the type's live tables and the repeats in the first of these
   * statements.
   *
   * @param limits the most heads of each range
   */
  Seen look(TaskType type, Map<Range, Integer> limits, Collection<HoldKey> repeatable) {
    List<Range> ranges = List.copyOf(limits.keySet());
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
    int most = Math.min(MAX_RANGES_PER_STATEMENT, ranges.size());
    List<Range> first = ranges.subList(0, most);
    headsSql(first, limits::get, values).forEach(head -> sql.append("UNION ALL\n").append(head));
    Seen seen = read(sql.toString(), values, first);
    seen.heads().addAll(heads(ranges.subList(most, ranges.size()), limits::get));
    return seen;
  }

  /**
   * The database's epoch ms, if nothing is due in these stages then.
   *
   * @return empty if a task is, or if the family has other live tables than it is known to have, or
   *     lanes
   */
  OptionalLong quietNow(TaskFamily family, Collection<String> stages) {
    String marks = String.join(",", nCopies(stages.size(), "?"));
    StringBuilder sql = new StringBuilder(sql(QUIET));
    List<Object> values = new ArrayList<>(List.of(family.begin().number(), family.end().number()));
    for (TaskTable table : family.live()) {
      sql.append(NOTHING_DUE.of(table).replace("<stages>", marks));
      values.addAll(stages);
    }
    values.add(family.type().name());
    return jdbc.sql(sql.append(OF_TYPE).toString())
        .params(values)
        .query(
            (rs, row) -> rs.getBoolean(2) ? OptionalLong.of(rs.getLong(1)) : OptionalLong.empty())
        .single();
  }

  /**
   * The result of a scan.
   *
   * @param heads the first waiting task of each source that has one, due or not, without its number
   * @param newStages the tables in which a task waits for a stage in one of the gaps
   * @param tables the live tables of each type
   * @param servers the number of live servers
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

  /** The numbers of a type's first and last live table, and whether it has lanes. */
  public record Position(int begin, int end, boolean hasLanes) {

    /**
     * Whether a family is not the one that was read.
     *
     * @param read {@code null} if none was
     */
    static boolean isOther(Position read, TaskFamily family) {
      return read != null
          && (read.begin != family.begin().number()
              || read.end != family.end().number()
              || read.hasLanes != family.hasLanes());
    }
  }

  /** Reads the beginning of all these sources, and the gaps, of any types, in one statement. */
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
                case "tables" ->
                    tables.put(types.get(place), new Position((int) low, (int) high, false));
                case "lanes" ->
                    tables.put(types.get(place), new Position((int) low, (int) high, true));
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
          "SELECT 'due' AS kind, %s AS place, h.* FROM (\n%s) h\n"
              .formatted(i, (source.isOpen() ? HEAD_OF_SOURCE : HEAD_OF_LANE).of(source.table())));
      values.add(source.stage());
      if (!source.isOpen()) {
        values.add(source.lane());
      }
      values.add(range.from());
      values.add(limit.applyAsInt(range));
    }
    return parts;
  }

  private Seen read(String sql, List<Object> values, List<Range> ranges) {
    List<Head> heads = new ArrayList<>();
    Position[] tables = new Position[1];
    boolean[] hasRepeats = new boolean[1];
    jdbc.sql(sql)
        .params(values)
        .query(
            rs -> {
              long id = rs.getLong("id");
              long orderTime = rs.getLong("order_time");
              switch (rs.getString("kind")) {
                case "tables" ->
                    tables[0] = new Position((int) id, (int) orderTime, rs.getInt("db_now") == 1);
                case "repeats" -> hasRepeats[0] = id > 0;
                default -> {
                  Source source = ranges.get(rs.getInt("place")).source();
                  heads.add(new Head(source, id, orderTime, rs.getLong("db_now")));
                }
              }
            });
    return new Seen(heads, tables[0], hasRepeats[0]);
  }
}
