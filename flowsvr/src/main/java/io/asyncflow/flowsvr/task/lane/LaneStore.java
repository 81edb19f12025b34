package io.asyncflow.flowsvr.task.lane;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** {@code t_lane}, {@code t_lane_worker} and {@code t_lane_table}. Thread-safe. */
@Component
class LaneStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The precision of {@code use_time}: a lane in constant use is written once a day. */
  private static final Duration DAY = Duration.ofDays(1);

  private static final String UNUSED =
      sql(
          """
          use_time < now_ms - :age
            AND NOT EXISTS (
              SELECT 1
              FROM t_lane_table
              WHERE t_lane_table.lane = t_lane.lane)
          """);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  LaneStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * Makes a lane, unless it exists, and records that the table may have tasks in it. Requires a
   * transaction, in which the lane's row is locked.
   *
   * @return false if another set of workers has the lane
   */
  boolean use(String lane, SortedSet<String> workers, TaskTable table) {
    String json = JSON.writeValueAsString(workers);
    int made =
        jdbc.sql(
                sql(
                    """
                    INSERT IGNORE INTO t_lane (lane, workers, use_time)
                    VALUES (:lane, :workers, now_ms)
                    """))
            .param("lane", lane)
            .param("workers", json)
            .update();
    if (made == 0 && !lock(lane).equals(json)) {
      return false;
    }
    batch.batchUpdate(
        "INSERT IGNORE INTO t_lane_worker (worker_id, lane) VALUES (?, ?)",
        workers.stream().map(worker -> new Object[] {worker, lane}).toList());
    insertUse(lane, table);
    jdbc.sql(
            sql(
                "UPDATE t_lane SET use_time = now_ms WHERE lane = :lane AND use_time < now_ms -"
                    + " :day"))
        .param("lane", lane)
        .param("day", DAY.toMillis())
        .update();
    return true;
  }

  /** Records that the table may have tasks in the lane, unless that is known. */
  void insertUse(String lane, TaskTable table) {
    jdbc.sql(
            """
            INSERT IGNORE INTO t_lane_table (lane, task_type, table_number)
            VALUES (:lane, :type, :number)
            """)
        .param("lane", lane)
        .param("type", table.type().name())
        .param("number", table.number())
        .update();
  }

  private String lock(String lane) {
    return jdbc.sql("SELECT workers FROM t_lane WHERE lane = :lane FOR UPDATE")
        .param("lane", lane)
        .query(String.class)
        .single();
  }

  Set<String> workersOf(String lane) {
    return new TreeSet<>(
        jdbc.sql("SELECT worker_id FROM t_lane_worker WHERE lane = :lane")
            .param("lane", lane)
            .query(String.class)
            .list());
  }

  /**
   * The number of lanes of each type that has any.
   *
   * @param most the limit of all uses that are counted
   */
  Map<String, Integer> countByType(int most) {
    Map<String, Integer> counts = new TreeMap<>();
    jdbc.sql(
            """
            SELECT task_type, COUNT(DISTINCT lane)
            FROM (SELECT task_type, lane FROM t_lane_table LIMIT :most) u
            GROUP BY task_type
            """)
        .param("most", most)
        .query(
            rs -> {
              counts.put(rs.getString(1), rs.getInt(2));
            });
    return counts;
  }

  /** The tables that lanes are used by and that were given up; a step into the index for each. */
  List<TaskTable> droppedTables() {
    return jdbc.sql(
            """
            SELECT u.task_type, u.table_number
            FROM (SELECT DISTINCT task_type, table_number FROM t_lane_table) u
            LEFT JOIN t_task_table t
              ON t.task_type = u.task_type
              AND t.table_number = u.table_number
            WHERE t.task_type IS NULL
              OR t.drop_time IS NOT NULL
            """)
        .query((rs, row) -> new TaskTable(new TaskType(rs.getString(1)), rs.getInt(2)))
        .list();
  }

  /** Deletes a page of the uses of lanes by a table; returns their number. */
  int deleteUses(TaskTable table, int limit) {
    return jdbc.sql(
            """
            DELETE FROM t_lane_table
            WHERE task_type = :type
              AND table_number = :number
            ORDER BY lane
            LIMIT :limit
            """)
        .param("type", table.type().name())
        .param("number", table.number())
        .param("limit", limit)
        .update();
  }

  /**
   * A page of all lanes.
   *
   * @param unused those that no table has and that were not asked for since then
   * @param last the last lane of the page; empty if it is the last page
   */
  record Page(List<String> unused, String last) {}

  /** The lanes behind this one. */
  Page pageBehind(String lane, Duration age, int limit) {
    List<String> unused = new ArrayList<>();
    List<String> all =
        jdbc.sql(
                sql("SELECT lane, (" + UNUSED + ") AS is_unused FROM t_lane")
                    + " WHERE lane > :lane ORDER BY lane LIMIT :limit")
            .param("age", age.toMillis())
            .param("lane", lane)
            .param("limit", limit)
            .query(
                (rs, row) -> {
                  if (rs.getBoolean("is_unused")) {
                    unused.add(rs.getString("lane"));
                  }
                  return rs.getString("lane");
                })
            .list();
    return new Page(unused, all.size() < limit ? "" : all.get(limit - 1));
  }

  /** Deletes those of the lanes that are still unused; requires a transaction. */
  int deleteUnused(List<String> lanes, Duration age) {
    List<String> locked =
        jdbc.sql("SELECT lane FROM t_lane WHERE lane IN (:lanes) AND " + UNUSED + "FOR UPDATE")
            .param("lanes", lanes)
            .param("age", age.toMillis())
            .query(String.class)
            .list();
    if (!locked.isEmpty()) {
      jdbc.sql("DELETE FROM t_lane_worker WHERE lane IN (:lanes)").param("lanes", locked).update();
      jdbc.sql("DELETE FROM t_lane WHERE lane IN (:lanes)").param("lanes", locked).update();
    }
    return locked.size();
  }
}
