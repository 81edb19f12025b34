package io.asyncflow.flowsvr.queue.lease;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements that renew leases, on connections of their own. Thread-safe. */
@Component
public class RenewalStore {

  private static final String RENEW_VALUES =
      "UPDATE (\nSELECT ? AS id, ? AS epoch, ? AS progress\n";
  private static final String MORE_RENEW_VALUES = "UNION ALL SELECT ?, ?, ?\n";
  // STRAIGHT_JOIN and the primary key: otherwise all executing tasks would be read and locked.
  private static final TableSql RENEW =
      new TableSql(
          """
          ) v
          STRAIGHT_JOIN %s t FORCE INDEX (PRIMARY) ON t.id = v.id
          SET t.lease_end = LEAST(now_ms + ?, t.hold_time + ?),
              t.beat_time = now_ms,
              t.progress = COALESCE(v.progress, t.progress)
          WHERE t.status = 2
            AND t.lease_epoch = v.epoch
            AND t.worker_id = ?
            AND t.hold_time + ? > now_ms
          """);

  private static final TableSql LOCK_FREE =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id IN (:ids)
          ORDER BY id
          FOR UPDATE SKIP LOCKED
          """);

  private static final TableSql HELD =
      new TableSql(
          """
          SELECT id, status, worker_id, lease_epoch, lease_end, now_ms AS db_now
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id IN (:ids)
          """);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  RenewalStore(HeartbeatDatabase database) {
    this.jdbc = database.client();
    this.batch = database.template();
  }

  /** Locks those of the rows that no other transaction has locked, and returns their numbers. */
  Set<Long> lockFree(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(LOCK_FREE.of(table)).param("ids", numbers).query(Long.class).set();
  }

  /**
   * Renews the leases that this worker still has, never beyond the hard end of the attempt.
   *
   * @param beats one or more
   */
  public void renew(TaskTable table, List<ParsedBeat> beats, String workerId, TaskTypeConfig type) {
    StringBuilder sql = new StringBuilder(RENEW_VALUES);
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < beats.size(); i++) {
      if (i > 0) {
        sql.append(MORE_RENEW_VALUES);
      }
      values.add(beats.get(i).number());
      values.add(beats.get(i).task().leaseEpoch());
      values.add(beats.get(i).task().progress());
    }
    sql.append(RENEW.of(table));
    values.add(type.lease().toMillis());
    values.add(type.maxProcessingTime().toMillis());
    values.add(workerId);
    values.add(type.maxProcessingTime().toMillis());
    batch.update(sql.toString(), new StatementValues(values));
  }

  /** The rows of those tasks that exist. */
  List<HeldRow> find(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(HELD.of(table))
        .param("ids", numbers)
        .query(
            (rs, row) ->
                new HeldRow(
                    rs.getLong("id"),
                    TaskStatus.ofCode(rs.getInt("status")),
                    rs.getString("worker_id"),
                    rs.getInt("lease_epoch"),
                    rs.getLong("lease_end"),
                    rs.getLong("db_now")))
        .list();
  }
}
