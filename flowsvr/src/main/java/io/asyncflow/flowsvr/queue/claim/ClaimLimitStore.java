package io.asyncflow.flowsvr.queue.claim;

import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of the claim limits: {@code t_type_limit}, and the count of executing tasks. */
@Component
class ClaimLimitStore {

  private static final TableSql EXECUTING =
      new TableSql(
          """
          SELECT COUNT(*)
          FROM (
            SELECT 1
            FROM %s FORCE INDEX (idx_claim)
            WHERE status = 2
            LIMIT :enough
          ) executing
          """);

  private final JdbcClient jdbc;

  ClaimLimitStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * The used part of a type's rate.
   *
   * @param spentUntil microseconds since the epoch
   * @param now microseconds since the epoch, by the database's clock
   */
  record Spending(long spentUntil, long now) {}

  /** Locks the row of a type until the transaction ends; inserts it if it does not exist. */
  Spending lock(TaskType type) {
    return find(type)
        .orElseGet(
            () -> {
              jdbc.sql("INSERT IGNORE INTO t_type_limit (task_type) VALUES (:type)")
                  .param("type", type.name())
                  .update();
              return find(type).orElseThrow();
            });
  }

  private Optional<Spending> find(TaskType type) {
    return jdbc.sql(
            """
            SELECT spent_until, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now_us
            FROM t_type_limit
            WHERE task_type = :type
            FOR UPDATE
            """)
        .param("type", type.name())
        .query((rs, row) -> new Spending(rs.getLong("spent_until"), rs.getLong("now_us")))
        .optional();
  }

  void spend(TaskType type, long spentUntil) {
    jdbc.sql("UPDATE t_type_limit SET spent_until = :until WHERE task_type = :type")
        .param("until", spentUntil)
        .param("type", type.name())
        .update();
  }

  /** The live tables of the type, read from the database; empty before the first is created. */
  List<TaskTable> live(TaskType type) {
    return jdbc.sql(
            """
            SELECT schedule_begin_pos, schedule_end_pos
            FROM t_schedule_pos
            WHERE task_type = :type
            """)
        .param("type", type.name())
        .query(
            (rs, row) ->
                IntStream.rangeClosed(
                        rs.getInt("schedule_begin_pos"), rs.getInt("schedule_end_pos"))
                    .mapToObj(number -> new TaskTable(type, number))
                    .toList())
        .optional()
        .orElse(List.of());
  }

  /**
   * The number of executing tasks in the tables, each table counted up to {@code enough}. One
   * statement counts a {@link TableSql#groups group} of tables.
   */
  int executing(List<TaskTable> tables, int enough) {
    int executing = 0;
    for (List<TaskTable> group : TableSql.groups(tables)) {
      executing +=
          jdbc
              .sql(group.stream().map(EXECUTING::of).collect(joining("UNION ALL\n")))
              .param("enough", enough)
              .query(Integer.class)
              .list()
              .stream()
              .mapToInt(Integer::intValue)
              .sum();
    }
    return executing;
  }
}
