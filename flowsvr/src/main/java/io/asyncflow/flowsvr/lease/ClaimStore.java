package io.asyncflow.flowsvr.lease;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;
import static java.util.stream.Collectors.groupingBy;

import io.asyncflow.flowsvr.system.StatementValues;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements of a claim.
 *
 * <p>All of them rest on {@code idx_claim (status, task_stage, order_time)}: the waiting tasks of
 * one stage are one contiguous range of it in the order of their due times (and, among equals, of
 * their ids, which InnoDB appends). So a claim reads what it takes, however many tasks wait, are
 * delayed, or belong to other stages. ClaimPlanIT holds both engines to that.
 *
 * <p>What was taken leaves a deleted entry at the head of its range, until no snapshot needs it any
 * more. So a {@link Range} may begin behind those.
 */
@Component
class ClaimStore {

  static final TableSql HEAD_OF_SOURCE =
      new TableSql(
          """
          SELECT id, order_time, now_ms AS db_now
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage = ?
            AND order_time >= ?
          ORDER BY order_time, id
          LIMIT ?
          """
              .replace("now_ms", NOW_MS));

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
          """
              .replace("now_ms", NOW_MS));

  /** What changes rarely and a look must not miss: where the tables are. */
  private static final String POSITION =
      """
      SELECT -1 AS source, schedule_begin_pos AS id, schedule_end_pos AS order_time, 0 AS db_now
      FROM t_schedule_pos
      WHERE task_type = ?
      """;

  /** Those who may have news that nobody tells; each has borrowed a number before it serves. */
  private static final String SERVERS =
      """
      UNION ALL
      SELECT -3, COUNT(*), 0, 0
      FROM t_server_number
      WHERE lease_end > now_ms
      """
          .replace("now_ms", NOW_MS);

  private static final String REPEATS =
      """
      UNION ALL
      SELECT -2, COUNT(*), 0, 0
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

  /** Reads whole rows, but for long logs: to lock a row InnoDB goes to it in any case. */
  static final TableSql LOCK_DUE =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS_BUT_LONG_LOGS
              + """

              FROM %s FORCE INDEX (idx_claim)
              WHERE status = 1
                AND task_stage = :stage
                AND order_time >= :from
                AND order_time <= now_ms
              ORDER BY order_time, id
              LIMIT :limit
              FOR UPDATE SKIP LOCKED
              """
                  .replace("now_ms", NOW_MS));

  private static final String HOLD_VALUES =
      """
      UPDATE (
      SELECT ? AS id, ? AS epoch, ? AS from_time, ? AS worker_id, ? AS trace_id, ? AS hold_time,
        ? AS lease_end
      """;
  private static final String MORE_HOLD_VALUES = "UNION ALL SELECT ?, ?, ?, ?, ?, ?, ?\n";

  private static final TableSql MARK_HELD_EACH =
      new TableSql(
          """
          ) v
          STRAIGHT_JOIN %s t FORCE INDEX (PRIMARY) ON t.id = v.id
          SET t.status = 2,
              t.lease_epoch = t.lease_epoch + 1,
              t.worker_id = v.worker_id,
              t.trace_id = v.trace_id,
              t.hold_time = v.hold_time,
              t.beat_time = 0,
              t.lease_end = v.lease_end,
              t.progress = NULL,
              t.modify_time = v.hold_time
          WHERE t.status = 1
            AND t.lease_epoch = v.epoch
            AND t.modify_time = v.from_time
          """);

  /** For rows that a hold takes together: a quarter cheaper than to name values for each. */
  private static final TableSql MARK_HELD_ALIKE =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = 2,
              lease_epoch = lease_epoch + 1,
              worker_id = ?,
              trace_id = ?,
              hold_time = ?,
              beat_time = 0,
              lease_end = ?,
              progress = NULL,
              modify_time = ?
          WHERE status = 1
            AND lease_epoch = ?
            AND modify_time <= ?
            AND id IN (
          """);

  /** From so many rows on, what is marked alike has a statement of its own. */
  private static final int ROWS_ALIKE = 8;

  private static final TableSql HELD =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS
              + """

              FROM %s FORCE INDEX (PRIMARY)
              WHERE id IN (:ids)
                AND status = 2
                AND trace_id IN (:traces)
              """);

  /** A look at stages that nobody names sees no more than these. */
  static final int SOURCES_A_LOOK = 200;

  private static final int RANGES_A_STATEMENT = 50;

  private final JdbcClient jdbc;
  private final JdbcTemplate template;

  ClaimStore(JdbcClient jdbc, JdbcTemplate template) {
    this.jdbc = jdbc;
    this.template = template;
  }

  /** The waiting tasks of one stage in one table. */
  record Source(TaskTable table, String stage) {}

  /**
   * The tasks of a source that are due from some time on.
   *
   * @param from epoch ms on the database's clock
   */
  record Range(Source source, long from) {

    private static final long EVER = Long.MIN_VALUE;

    static Range whole(Source source) {
      return new Range(source, EVER);
    }

    boolean isWhole() {
      return from == EVER;
    }
  }

  /**
   * A waiting task that stands at the head of its source.
   *
   * @param now the database's epoch ms when it was seen
   */
  record Head(Source source, long number, long orderTime, long now) {
    boolean isDue() {
      return orderTime <= now;
    }

    long dueForMs() {
      return now - orderTime;
    }
  }

  /**
   * What a look saw.
   *
   * @param heads the first tasks of each range, due or not, in order within each
   * @param begin number of the type's first live table; 0 if it was not asked for
   * @param end number of its last table
   * @param servers how many servers live; 0 if it was not asked for
   * @param hasRepeats whether any of the holds that were asked about was given something before
   */
  record Seen(List<Head> heads, int begin, int end, int servers, boolean hasRepeats) {}

  /**
   * The first waiting task of the stage that comes next after each of these, due or not; none where
   * it was the last. In one statement.
   */
  List<Head> headsOfNextStages(List<Source> after) {
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
  List<String> waitingStages(TaskTable table, String after, int most) {
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
  List<Head> heads(List<Range> ranges, int limit) {
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
  Seen look(TaskType type, List<Range> ranges, int limit, Collection<Hold> repeatable) {
    return look(type, ranges, range -> limit, repeatable);
  }

  /**
   * The same.
   *
   * @param limit as many heads of each range
   */
  Seen look(
      TaskType type, List<Range> ranges, ToIntFunction<Range> limit, Collection<Hold> repeatable) {
    List<Object> values = new ArrayList<>();
    values.add(type.name());
    StringBuilder sql = new StringBuilder(POSITION).append(SERVERS);
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

  private static List<String> headsSql(
      List<Range> ranges, ToIntFunction<Range> limit, List<Object> values) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < ranges.size(); i++) {
      Range range = ranges.get(i);
      Source source = range.source();
      parts.add(
          "SELECT %d AS source, h.* FROM (\n%s) h\n"
              .formatted(i, HEAD_OF_SOURCE.of(source.table())));
      values.addAll(List.of(source.stage(), range.from(), limit.applyAsInt(range)));
    }
    return parts;
  }

  private Seen look(String sql, List<Object> values, List<Range> ranges) {
    List<Head> heads = new ArrayList<>();
    int[] position = new int[2];
    int[] servers = new int[1];
    boolean[] hasRepeats = new boolean[1];
    jdbc.sql(sql)
        .params(values)
        .query(
            rs -> {
              int source = rs.getInt("source");
              long id = rs.getLong("id");
              long orderTime = rs.getLong("order_time");
              if (source == -1) {
                position[0] = (int) id;
                position[1] = (int) orderTime;
              } else if (source == -2) {
                hasRepeats[0] = id > 0;
              } else if (source == -3) {
                servers[0] = (int) id;
              } else {
                heads.add(
                    new Head(ranges.get(source).source(), id, orderTime, rs.getLong("db_now")));
              }
            });
    return new Seen(heads, position[0], position[1], servers[0], hasRepeats[0]);
  }

  /**
   * Locks the first due tasks that nobody else has locked, and returns them as they wait, with
   * {@code null} for {@linkplain TaskStore#COLUMNS_BUT_LONG_LOGS long logs}.
   */
  List<TaskRow> lockDue(Range range, int limit) {
    TaskTable table = range.source().table();
    return jdbc.sql(LOCK_DUE.of(table))
        .param("stage", range.source().stage())
        .param("from", range.from())
        .param("limit", limit)
        .query(TaskStore.rowsOf(table))
        .list();
  }

  /** A waiting row as it was read, and as a hold makes it. */
  record Change(TaskRow before, TaskRow after) {}

  /**
   * Marks those of the tasks as held that are still as they were read, and returns how many were.
   *
   * @param changes of rows of the table, at least one
   */
  int markHeld(TaskTable table, List<Change> changes) {
    int held = 0;
    List<Change> others = new ArrayList<>();
    Collection<List<Change>> alike =
        changes.stream()
            .collect(groupingBy(Marking::of, LinkedHashMap::new, Collectors.toList()))
            .values();
    for (List<Change> some : alike) {
      if (some.size() < ROWS_ALIKE) {
        others.addAll(some);
      } else {
        held += markAlike(table, some);
      }
    }
    return others.isEmpty() ? held : held + markEach(table, others);
  }

  /** What a hold writes into the rows that it takes. */
  private record Marking(int epoch, String workerId, String traceId, long holdTime, long leaseEnd) {
    static Marking of(Change change) {
      TaskRow after = change.after();
      return new Marking(
          change.before().leaseEpoch(),
          after.workerId(),
          after.traceId(),
          after.holdTime(),
          after.leaseEnd());
    }
  }

  private int markAlike(TaskTable table, List<Change> changes) {
    Marking marking = Marking.of(changes.get(0));
    List<Object> values = new ArrayList<>(7 + changes.size());
    values.add(marking.workerId());
    values.add(marking.traceId());
    values.add(marking.holdTime());
    values.add(marking.leaseEnd());
    values.add(marking.holdTime());
    values.add(marking.epoch());
    values.add(changes.stream().mapToLong(change -> change.before().modifyTime()).max().orElse(0));
    changes.forEach(change -> values.add(change.before().id().number()));
    String ids = "?" + ", ?".repeat(changes.size() - 1) + ")";
    return template.update(MARK_HELD_ALIKE.of(table) + ids, new StatementValues(values));
  }

  private int markEach(TaskTable table, List<Change> changes) {
    List<Object> values = new ArrayList<>(7 * changes.size());
    for (Change change : changes) {
      TaskRow after = change.after();
      values.add(after.id().number());
      values.add(change.before().leaseEpoch());
      values.add(change.before().modifyTime());
      values.add(after.workerId());
      values.add(after.traceId());
      values.add(after.holdTime());
      values.add(after.leaseEnd());
    }
    String sql =
        HOLD_VALUES + MORE_HOLD_VALUES.repeat(changes.size() - 1) + MARK_HELD_EACH.of(table);
    return template.update(sql, new StatementValues(values));
  }

  /** Those of the tasks that are held by holds with these traces. */
  List<TaskRow> held(TaskTable table, Collection<Long> numbers, Collection<String> traceIds) {
    return jdbc.sql(HELD.of(table))
        .param("ids", numbers)
        .param("traces", traceIds)
        .query(TaskStore.rowsOf(table))
        .list();
  }
}
