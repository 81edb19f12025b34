package io.asyncflow.flowsvr.task.table;

import static java.util.Collections.nCopies;

import io.asyncflow.flowsvr.base.system.db.DatabaseClock;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.task.table.TaskTableView.State;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Component;

/**
 * {@code t_task_table}: the life cycle of each table, and its locks.
 *
 * <p>Every method is one statement and runs in the caller's transaction, if there is one.
 * Thread-safe.
 */
@Component
public class TableLifeStore {

  private static final TableSql UNFINISHED =
      new TableSql("SELECT 1 FROM %s FORCE INDEX (idx_claim) WHERE status IN (1, 2, 32) LIMIT 1");

  private static final TableSql PAUSED =
      new TableSql("SELECT 1 FROM %s FORCE INDEX (idx_claim) WHERE status = 32 LIMIT 1");

  private static final String OF_TABLE =
      """
      WHERE task_type = :type
        AND table_number = :number
      """;

  private static final RowMapper<Optional<TaskTable>> TABLE =
      (rs, row) -> {
        int number = rs.getInt("table_number");
        return TaskType.parse(rs.getString("task_type")).map(type -> new TaskTable(type, number));
      };

  private static final int SIZES_PER_STATEMENT = 100;

  private final JdbcClient jdbc;

  TableLifeStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Inserts the table's row, unless it exists. */
  void insert(TaskTable table) {
    sql(
            table,
            """
            INSERT IGNORE INTO t_task_table (task_type, table_number, create_time)
            VALUES (:type, :number, now_ms)
            """)
        .update();
  }

  /**
   * Takes a shared lock that keeps begin from moving past the table until the transaction ends;
   * false if begin has moved past it.
   */
  boolean lockUndrained(TaskTable table) {
    return exists(table, "AND drain_time IS NULL LOCK IN SHARE MODE");
  }

  /**
   * Locks the table against creates without waiting; false if it is drained, or if a create may be
   * in progress in it.
   */
  public boolean lockForDrain(TaskTable table) {
    return exists(table, "AND drain_time IS NULL FOR UPDATE SKIP LOCKED");
  }

  /**
   * Takes a shared lock that keeps the table from being given up until the transaction ends; false
   * if it was given up.
   */
  boolean lockKept(TaskTable table) {
    return exists(table, "AND drop_time IS NULL LOCK IN SHARE MODE");
  }

  private boolean exists(TaskTable table, String condition) {
    return sql(table, "SELECT 1 FROM t_task_table\n" + OF_TABLE + condition)
        .query(Integer.class)
        .optional()
        .isPresent();
  }

  /** Whether the table has a task that is not final. */
  public boolean hasUnfinished(TaskTable table) {
    return jdbc.sql(UNFINISHED.of(table)).query(Integer.class).optional().isPresent();
  }

  /** Those of a group of tables that have a task that is not final. */
  public List<TaskTable> unfinished(List<TaskTable> tables) {
    return jdbc.sql(UNFINISHED.ofAll(tables))
        .query((rs, row) -> tables.get(rs.getInt("source")))
        .list();
  }

  public void markDrained(TaskTable table) {
    sql(table, "UPDATE t_task_table SET drain_time = now_ms\n" + OF_TABLE).update();
  }

  /** Marks this table and those after it as not drained. */
  public void unmarkDrainedFrom(TaskTable table) {
    sql(
            table,
            """
            UPDATE t_task_table
            SET drain_time = NULL
            WHERE task_type = :type
              AND table_number >= :number
            """)
        .update();
  }

  /**
   * Gives the table up, so that it is no longer read, if it is the first of its family and has been
   * drained that long.
   */
  public boolean giveUp(TaskTable table, Duration drainedFor) {
    return sql(
                table,
                """
                UPDATE t_schedule_pos p
                JOIN t_task_table t ON t.table_number = p.schedule_first_pos
                SET p.schedule_first_pos = p.schedule_first_pos + 1,
                    t.drop_time = now_ms
                WHERE p.task_type = :type
                  AND p.schedule_first_pos = :number
                  AND p.schedule_first_pos < p.schedule_begin_pos
                  AND t.task_type = :type
                  AND t.drain_time <= now_ms - :age
                  AND t.drop_time IS NULL
                """)
            .param("age", drainedFor.toMillis())
            .update()
        > 0;
  }

  /** How many tables the type got within the last such time. */
  public int madeWithin(TaskType type, Duration age) {
    return jdbc.sql(
            DatabaseClock.sql(
                """
                SELECT COUNT(*)
                FROM t_task_table
                WHERE task_type = :type
                  AND create_time > now_ms - :age
                """))
        .param("type", type.name())
        .param("age", age.toMillis())
        .query(Integer.class)
        .single();
  }

  /** By type, how long the first table has been drained, if it is drained. */
  public Map<TaskType, Duration> drainedFor() {
    Map<TaskType, Duration> drainedFor = new HashMap<>();
    jdbc.sql(
            DatabaseClock.sql(
                """
            SELECT p.task_type, now_ms - t.drain_time AS drained_for
            FROM t_schedule_pos p
            JOIN t_task_table t
              ON t.task_type = p.task_type
              AND t.table_number = p.schedule_first_pos
            WHERE p.schedule_first_pos < p.schedule_begin_pos
              AND t.drain_time IS NOT NULL
              AND t.drop_time IS NULL
            """))
        .query(
            rs -> {
              Duration age = Duration.ofMillis(rs.getLong("drained_for"));
              TaskType.parse(rs.getString("task_type"))
                  .ifPresent(type -> drainedFor.put(type, age));
            });
    return drainedFor;
  }

  /** Tables that were given up at least that long ago and may still exist. */
  public List<TaskTable> droppedBefore(Duration age) {
    return jdbc
        .sql(
            DatabaseClock.sql(
                """
            SELECT task_type, table_number
            FROM t_task_table
            WHERE drop_time <= now_ms - :age
            ORDER BY task_type, table_number
            """))
        .param("age", age.toMillis())
        .query(TABLE)
        .list()
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /** Those tables of a family that have a paused task. */
  private Set<TaskTable> paused(TaskFamily family) {
    Set<TaskTable> paused = new HashSet<>();
    for (List<TaskTable> tables : TableSql.groups(family.live())) {
      jdbc.sql(PAUSED.ofAll(tables))
          .query(
              rs -> {
                paused.add(tables.get(rs.getInt("source")));
              });
    }
    return paused;
  }

  /** The existing tables of a family, with the engine's statistics. */
  public List<TaskTableView> describe(TaskFamily family) {
    Set<TaskTable> paused = paused(family);
    List<Life> lives =
        jdbc.sql(
                DatabaseClock.sql(
                    """
                    SELECT table_number, create_time, drain_time, drop_time, now_ms
                    FROM t_task_table
                    WHERE task_type = :type
                      AND table_number <= :end
                    ORDER BY table_number
                    """))
            .param("type", family.type().name())
            .param("end", family.end().number())
            .query(
                (rs, row) ->
                    new Life(
                        new TaskTable(family.type(), rs.getInt(1)),
                        rs.getLong(2),
                        rs.getObject(3, Long.class),
                        rs.getObject(4) != null,
                        rs.getLong(5)))
            .list();
    Map<String, Size> sizes = new HashMap<>();
    StatementGroups.of(lives, SIZES_PER_STATEMENT).forEach(group -> readSizes(group, sizes));
    return lives.stream()
        .map(
            life ->
                life.toView(
                    family,
                    sizes.getOrDefault(life.table().sqlName(), Size.UNKNOWN),
                    paused.contains(life.table())))
        .toList();
  }

  /** A row of {@code t_task_table}. */
  private record Life(
      TaskTable table, long createTime, Long drainTime, boolean isDropped, long now) {

    TaskTableView toView(TaskFamily family, Size size, boolean hasPaused) {
      return new TaskTableView(
          table.sqlName(),
          table.number(),
          stateOf(table, family, drainTime != null, isDropped),
          size.rows(),
          size.bytes(),
          createTime,
          (now - createTime) / 1000,
          drainTime,
          hasPaused);
    }
  }

  /** What the engine estimates; {@code null} if it knows no such table. */
  private record Size(Long rows, Long bytes) {
    static final Size UNKNOWN = new Size(null, null);
  }

  /** By name: MariaDB opens each table of the schema for a condition that is no equality. */
  private void readSizes(List<Life> lives, Map<String, Size> sizes) {
    String one =
        """
        table_name AS name, table_rows AS row_estimate, data_length + index_length AS byte_estimate
        FROM information_schema.tables
        WHERE table_schema = DATABASE() AND table_name = ?
        """;
    String sql =
        "SELECT /*+ SET_VAR(information_schema_stats_expiry = 0) */ "
            + String.join("UNION ALL SELECT ", nCopies(lives.size(), one));
    jdbc.sql(sql)
        .params(lives.stream().map(life -> life.table().sqlName()).toList())
        .query(
            rs -> {
              sizes.put(
                  rs.getString(1),
                  new Size(rs.getObject(2, Long.class), rs.getObject(3, Long.class)));
            });
  }

  private static State stateOf(
      TaskTable table, TaskFamily family, boolean isDrained, boolean isDropped) {
    if (isDropped) {
      return State.DROPPING;
    }
    if (isDrained) {
      return State.DRAINED;
    }
    return table.equals(family.end()) ? State.OPEN : State.FULL;
  }

  public void delete(TaskTable table) {
    sql(table, "DELETE FROM t_task_table\n" + OF_TABLE).update();
  }

  private StatementSpec sql(TaskTable table, String text) {
    return jdbc.sql(DatabaseClock.sql(text))
        .param("type", table.type().name())
        .param("number", table.number());
  }
}
