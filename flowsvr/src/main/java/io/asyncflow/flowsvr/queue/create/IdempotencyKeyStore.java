package io.asyncflow.flowsvr.queue.create;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@code t_task_key}: the tasks that idempotency keys stand for. Thread-safe. */
@Component
public class IdempotencyKeyStore {

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  IdempotencyKeyStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * The use of a key.
   *
   * @param bodyHash SHA-256 of the task to be created
   * @param id the task that was created, or would be created
   * @param keptMs how long the key is remembered from now on
   */
  record KeyUse(String key, byte[] bodyHash, TaskId id, long keptMs) {}

  /**
   * Assigns the keys that are free or expired to their tasks, and keeps the others. Blocks while
   * another transaction assigns one of the keys. The caller's transaction keeps the rows locked.
   *
   * @param uses uses of one type, in the order of their keys, so that two batches cannot deadlock
   */
  void takeFree(TaskTable table, List<KeyUse> uses) {
    List<Object[]> rows = new ArrayList<>(uses.size());
    for (KeyUse use : uses) {
      rows.add(
          new Object[] {
            table.type().name(),
            use.key(),
            use.bodyHash(),
            use.id().number(),
            use.id().table().number(),
            use.keptMs()
          });
    }
    // expire_time last: the conditions of the other columns must read its old value.
    batch.batchUpdate(
        sql(
            """
        INSERT INTO t_task_key
          (task_type, idempotency_key, body_hash, task_number, table_number, expire_time)
        VALUES (?, ?, ?, ?, ?, now_ms + ?)
        ON DUPLICATE KEY UPDATE
          body_hash = IF(expire_time < now_ms, VALUES(body_hash), body_hash),
          task_number = IF(expire_time < now_ms, VALUES(task_number), task_number),
          table_number = IF(expire_time < now_ms, VALUES(table_number), table_number),
          expire_time = IF(expire_time < now_ms, VALUES(expire_time), expire_time)
        """),
        rows);
  }

  /** Changes the use of keys that the caller's transaction has locked by {@link #takeFree}. */
  void change(TaskTable table, Collection<KeyUse> uses) {
    batch.batchUpdate(
        sql(
            """
        UPDATE t_task_key
        SET body_hash = ?,
            task_number = ?,
            table_number = ?,
            expire_time = now_ms + ?
        WHERE task_type = ?
          AND idempotency_key = ?
        """),
        uses.stream()
            .map(
                use ->
                    new Object[] {
                      use.bodyHash(),
                      use.id().number(),
                      use.id().table().number(),
                      use.keptMs(),
                      table.type().name(),
                      use.key()
                    })
            .toList());
  }

  /** The task that stands under a key; empty if the key was not used, or was forgotten. */
  public Optional<TaskId> taskOf(TaskType type, String key) {
    return jdbc.sql(
            sql(
                """
                SELECT task_number, table_number
                FROM t_task_key
                WHERE task_type = :type
                  AND idempotency_key = :key
                  AND expire_time >= now_ms
                """))
        .param("type", type.name())
        .param("key", key)
        .query(
            (rs, row) ->
                new TaskId(
                    rs.getLong("task_number"), new TaskTable(type, rs.getInt("table_number"))))
        .optional();
  }

  /** The tasks that stand under these keys, each with the hash of its body. */
  Map<String, KeyUse> find(TaskTable table, Collection<String> keys) {
    Map<String, KeyUse> found = new HashMap<>();
    jdbc.sql(
            """
            SELECT idempotency_key, body_hash, task_number, table_number
            FROM t_task_key
            WHERE task_type = :type
              AND idempotency_key IN (:keys)
            """)
        .param("type", table.type().name())
        .param("keys", keys)
        .query(
            rs -> {
              TaskTable home = new TaskTable(table.type(), rs.getInt("table_number"));
              TaskId id = new TaskId(rs.getLong("task_number"), home);
              String key = rs.getString("idempotency_key");
              found.put(key, new KeyUse(key, rs.getBytes("body_hash"), id, 0));
            });
    return found;
  }

  /** Deletes a page of expired keys and returns how many. */
  int deleteExpired(int limit) {
    return jdbc.sql(
            sql(
                "DELETE FROM t_task_key WHERE expire_time < now_ms ORDER BY expire_time LIMIT :limit"))
        .param("limit", limit)
        .update();
  }
}
