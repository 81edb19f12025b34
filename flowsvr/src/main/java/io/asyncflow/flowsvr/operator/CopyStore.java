package io.asyncflow.flowsvr.operator;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Actor;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.task.TaskCopies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Statements on {@code t_audit}: one row for each copy of a task, written in the transaction that
 * makes the copy. The row shows which objects the copy may name.
 */
@Component
class CopyStore implements TaskCopies {

  static final String RETRY = "RETRY";

  private final JdbcClient jdbc;
  private final Acts acts;

  CopyStore(JdbcClient jdbc, Acts acts) {
    this.jdbc = jdbc;
    this.acts = acts;
  }

  @Override
  public void made(List<TaskRow> originals, List<TaskId> copies, String by) {
    insert(RETRY, originals, copies);
    List<Act> retries = new ArrayList<>(originals.size());
    for (int i = 0; i < originals.size(); i++) {
      TaskRow original = originals.get(i);
      retries.add(
          Act.onTask(RETRY, original.id(), original.status(), original.status())
              .by(new Reason(by, ""))
              .making(copies.get(i)));
    }
    acts.recordAll(Actor.SERVER, retries);
  }

  /** Records the copies that an act of this kind made. */
  void insert(String act, List<TaskRow> originals, List<TaskId> copies) {
    List<Object> values = new ArrayList<>(originals.size() * 5);
    for (int i = 0; i < originals.size(); i++) {
      TaskRow original = originals.get(i);
      values.add(act);
      values.add(original.id().toString());
      values.add(original.status().code());
      values.add(original.status().code());
      values.add(copies.get(i).toString());
    }
    String row = sql("(now_ms, ?, ?, ?, ?, ?)");
    String sql =
        """
        INSERT INTO t_audit
          (act_time, act, task_id, status_before, status_after, new_task_id)
        VALUES
        """
            + String.join(",\n", Collections.nCopies(originals.size(), row));
    jdbc.sql(sql).params(values).update();
  }

  /** The task that the last retry of this task created. */
  Optional<TaskId> lastCopyOf(TaskId id) {
    return jdbc.sql(
            """
            SELECT new_task_id
            FROM t_audit
            WHERE task_id = :task
              AND act = 'RETRY'
              AND new_task_id IS NOT NULL
            ORDER BY id DESC
            LIMIT 1
            """)
        .param("task", id.toString())
        .query(String.class)
        .optional()
        .flatMap(TaskId::parse);
  }

  /** Whether the copy is recorded as one of this task. */
  boolean isRecorded(TaskId id, TaskId copy) {
    return copiesOf(id).contains(copy);
  }

  @Override
  public Set<TaskId> of(TaskId id) {
    Set<TaskId> copies = new LinkedHashSet<>();
    Deque<TaskId> pending = new ArrayDeque<>(List.of(id));
    while (!pending.isEmpty()) {
      copiesOf(pending.remove()).stream().filter(copies::add).forEach(pending::add);
    }
    return copies;
  }

  private List<TaskId> copiesOf(TaskId id) {
    return jdbc
        .sql(
            """
            SELECT DISTINCT new_task_id
            FROM t_audit
            WHERE task_id = :task
              AND new_task_id IS NOT NULL
            """)
        .param("task", id.toString())
        .query(String.class)
        .list()
        .stream()
        .flatMap(copy -> TaskId.parse(copy).stream())
        .toList();
  }

  /** The record of a copy. */
  record Copying(long id, String copy) {}

  /**
   * Records of this age, in the order of their ids, except those whose copy was copied again,
   * because they lead to that copy.
   *
   * @param after the last id of the previous page; 0 for the first page
   */
  List<Copying> findOlderThan(Duration age, long after, int limit) {
    return jdbc.sql(
            sql(
                """
            SELECT a.id, a.new_task_id
            FROM t_audit a
            WHERE a.id > :after
              AND a.act_time < now_ms - :age
              AND a.new_task_id IS NOT NULL
              AND NOT EXISTS (
                SELECT 1
                FROM t_audit later
                WHERE later.task_id = a.new_task_id
                  AND later.new_task_id IS NOT NULL)
            ORDER BY a.id
            LIMIT :limit
            """))
        .param("age", age.toMillis())
        .param("after", after)
        .param("limit", limit)
        .query((rs, row) -> new Copying(rs.getLong("id"), rs.getString("new_task_id")))
        .list();
  }

  /**
   * Deletes the records whose copy was not copied meanwhile; returns their number. A copy in a
   * table that was given up cannot be copied any more, so a retry just before that is visible here.
   */
  int delete(List<Long> ids) {
    return jdbc.sql(
            """
            DELETE a
            FROM t_audit a
            LEFT JOIN t_audit later
              ON later.task_id = a.new_task_id
              AND later.new_task_id IS NOT NULL
            WHERE a.id IN (:ids)
              AND later.id IS NULL
            """)
        .param("ids", ids)
        .update();
  }
}
