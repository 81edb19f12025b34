package io.asyncflow.flowsvr.queue.claim;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements of a claim. Thread-safe.
 *
 * <p>They depend on {@code idx_claim (status, task_stage, lane, order_time)}: the waiting tasks of
 * one stage and one lane are one contiguous range of it, ordered by due time and then by id, which
 * InnoDB appends. So a claim reads only the rows that it takes, however many tasks wait, are
 * delayed, or belong to other stages. ClaimPlanIT checks this on both engines.
 *
 * <p>A claimed row leaves a delete-marked entry at the head of its range until InnoDB can purge it.
 * So a {@link Range} may begin behind those entries.
 */
@Component
public class ClaimStore {

  /** Reads whole rows: InnoDB visits a row to lock it in any case. */
  private static final String LOCK_DUE_TEXT =
      "SELECT "
          + TaskStore.COLUMNS
          + """

              FROM %s FORCE INDEX (idx_claim)
              WHERE status = 1
                AND task_stage = :stage
            AND lane = <lane>
                AND order_time >= :from
                AND order_time <= now_ms
              ORDER BY order_time, id
              LIMIT :limit
              FOR UPDATE SKIP LOCKED
          """;

  static final TableSql LOCK_DUE = new TableSql(LOCK_DUE_TEXT.replace("<lane>", "''"));
  static final TableSql LOCK_DUE_OF_LANE = new TableSql(LOCK_DUE_TEXT.replace("<lane>", ":lane"));

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

  /**
   * For rows with equal values, such as those of one hold: a quarter cheaper than values for each
   * row.
   */
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

  /** The fewest rows with equal values that get a statement of their own. */
  private static final int MIN_ROWS_ALIKE = 8;

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

  private final JdbcClient jdbc;
  private final JdbcTemplate template;

  ClaimStore(JdbcClient jdbc, JdbcTemplate template) {
    this.jdbc = jdbc;
    this.template = template;
  }

  /**
   * Locks the first due tasks of the range, except those locked by other transactions, and returns
   * their rows.
   */
  List<TaskRow> lockDue(Range range, int limit) {
    TaskTable table = range.source().table();
    Source source = range.source();
    return (source.isOpen()
            ? jdbc.sql(LOCK_DUE.of(table))
            : jdbc.sql(LOCK_DUE_OF_LANE.of(table)).param("lane", source.lane()))
        .param("stage", source.stage())
        .param("from", range.from())
        .param("limit", limit)
        .query(TaskStore.rowsOf(table))
        .list();
  }

  /**
   * Marks the tasks as held whose rows have not changed since they were read.
   *
   * @return the number of tasks marked
   * @param changes changes of rows of the table, at least one
   */
  public int markHeld(TaskTable table, List<TaskTransition> changes) {
    int held = 0;
    List<TaskTransition> others = new ArrayList<>();
    Collection<List<TaskTransition>> groups =
        changes.stream()
            .collect(groupingBy(ClaimStore::marking, LinkedHashMap::new, toList()))
            .values();
    for (List<TaskTransition> group : groups) {
      if (group.size() < MIN_ROWS_ALIKE) {
        others.addAll(group);
      } else {
        held += markAlike(table, group);
      }
    }
    if (others.isEmpty()) {
      return held;
    }
    List<Object> values = new ArrayList<>(7 * others.size());
    for (TaskTransition change : others) {
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
        HOLD_VALUES + MORE_HOLD_VALUES.repeat(others.size() - 1) + MARK_HELD_EACH.of(table);
    return held + template.update(sql, new StatementValues(values));
  }

  /** The values that a hold writes into its rows, and the epoch before. */
  private static List<Object> marking(TaskTransition change) {
    TaskRow after = change.after();
    return List.of(
        after.workerId(),
        after.traceId(),
        after.holdTime(),
        after.leaseEnd(),
        after.holdTime(),
        change.before().leaseEpoch());
  }

  private int markAlike(TaskTable table, List<TaskTransition> changes) {
    List<Object> values = new ArrayList<>(marking(changes.get(0)));
    values.add(changes.stream().mapToLong(change -> change.before().modifyTime()).max().orElse(0));
    changes.forEach(change -> values.add(change.before().id().number()));
    String ids = "?" + ", ?".repeat(changes.size() - 1) + ")";
    return template.update(MARK_HELD_ALIKE.of(table) + ids, new StatementValues(values));
  }

  /** The rows of those tasks that are held with one of these trace ids. */
  List<TaskRow> held(TaskTable table, Collection<Long> numbers, Collection<String> traceIds) {
    return jdbc.sql(HELD.of(table))
        .param("ids", numbers)
        .param("traces", traceIds)
        .query(TaskStore.rowsOf(table))
        .list();
  }
}
