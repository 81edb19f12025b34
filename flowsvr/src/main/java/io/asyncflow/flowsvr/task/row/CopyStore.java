package io.asyncflow.flowsvr.task.row;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Actor;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
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
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_audit}: one row for each copy of a task, written in the transaction that makes the copy.
 * A retry of a task in a drained table, by an operator or by its job, copies the task and its
 * context, which may refer to objects that the original has stored; the row shows which objects the
 * copy may name.
 */
@Component
public class CopyStore {

  public static final String RETRY = "RETRY";
  public static final String CLONE = "CLONE";

  private static final int PAGE = 500;

  private final JdbcClient jdbc;
  private final Acts acts;
  private final TaskFamilies families;
  private final Duration retention;

  CopyStore(
      JdbcClient jdbc,
      Acts acts,
      TaskFamilies families,
      @Value("${flow.act-retention:365d}") Duration retention) {
    this.jdbc = jdbc;
    this.acts = acts;
    this.families = families;
    this.retention = retention;
  }

  /**
   * Records copies that the server makes by itself. Call it in the transaction that creates the
   * copies and locks the originals' table against being given up.
   *
   * @param originals the rows that were copied, at least one
   * @param copies the ids of the copies, in the same order
   * @param by the job that made the copies
   */
  public void made(List<TaskRow> originals, List<TaskId> copies, String by) {
    acts.recordAll(
        Actor.SERVER,
        insert(RETRY, originals, copies).stream().map(act -> act.by(new Reason(by, ""))).toList());
  }

  /** Writes the rows of copies, as {@link #made}; returns the acts, which are to be recorded. */
  public List<Act> insert(String kind, List<TaskRow> originals, List<TaskId> copies) {
    List<Object> values = new ArrayList<>(originals.size() * 5);
    List<Act> made = new ArrayList<>(originals.size());
    for (int i = 0; i < originals.size(); i++) {
      TaskId id = originals.get(i).id();
      TaskStatus status = originals.get(i).status();
      TaskId copy = copies.get(i);
      values.addAll(List.of(kind, id.toString(), status.code(), status.code(), copy.toString()));
      made.add(Act.onTask(kind, id, status, status).making(copy));
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
    return made;
  }

  /** The task that the last retry of this task created. */
  public Optional<TaskId> lastCopyOf(TaskId id) {
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
  public boolean isRecorded(TaskId id, TaskId copy) {
    return copiesOf(id).contains(copy);
  }

  /**
   * The copies of a task and, recursively, their copies, whether or not they still exist. A task
   * whose table was given up gets no more copies.
   */
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

  @Bean
  Duty copyRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("copy-retention", every, this::deleteOld);
  }

  /** The record of a copy. */
  private record Copying(long id, String copy) {}

  /**
   * Deletes records after the retention of acts, and not before the copy and its own copies are
   * dropped: only the record shows which objects the copy may name. Returns their number. The
   * record of a copy's copy is deleted first; the next call deletes the record before it.
   */
  public int deleteOld() {
    int deleted = 0;
    List<Copying> page = findOld(0);
    while (!page.isEmpty()) {
      List<Long> over = page.stream().filter(this::isOver).map(Copying::id).toList();
      deleted += over.isEmpty() ? 0 : delete(over);
      page = page.size() < PAGE ? List.of() : findOld(page.get(PAGE - 1).id());
    }
    return deleted;
  }

  private boolean isOver(Copying record) {
    return TaskId.parse(record.copy())
        .filter(copy -> families.hasDropped(copy.table()))
        .isPresent();
  }

  /**
   * Records that are older than the retention, in the order of their ids, except those whose copy
   * was copied again, because they lead to that copy.
   *
   * @param after the last id of the previous page; 0 for the first page
   */
  private List<Copying> findOld(long after) {
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
        .param("age", retention.toMillis())
        .param("after", after)
        .param("limit", PAGE)
        .query((rs, row) -> new Copying(rs.getLong("id"), rs.getString("new_task_id")))
        .list();
  }

  /**
   * Deletes the records whose copy was not copied meanwhile; returns their number. A copy in a
   * table that was given up cannot be copied any more, so a retry just before that is visible here.
   */
  public int delete(List<Long> ids) {
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
