package io.asyncflow.flowsvr.claim;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.Retention;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_hold}: the tasks given to a hold with a holdId, so that a repeat gets the same answer.
 *
 * <p>A row is kept for two first leases. Heartbeats may keep the leases of its tasks longer, but
 * then the worker has the answer.
 */
@Component
class HoldStore {

  private static final String VALUES = sql("(?, ?, ?, ?, ?, now_ms + ?)");

  private final JdbcClient jdbc;

  HoldStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The tasks of an earlier delivery. */
  record StoredHold(String traceId, List<TaskId> ids) {}

  Optional<StoredHold> find(Hold hold) {
    return jdbc.sql(
            """
            SELECT trace_id, task_ids
            FROM t_hold
            WHERE task_type = :type
              AND worker_id = :worker
              AND hold_id = :hold
            """)
        .param("type", hold.type().name())
        .param("worker", hold.workerId())
        .param("hold", hold.holdId())
        .query((rs, row) -> new StoredHold(rs.getString(1), parse(rs.getString(2))))
        .optional();
  }

  /** A hold and the tasks that it is given. */
  record HoldToStore(Hold hold, String traceId, List<TaskId> ids) {}

  /**
   * Stores the tasks of holds. Blocks while another transaction inserts one of the same holds.
   *
   * @param holds at least one
   * @throws org.springframework.dao.DuplicateKeyException if an earlier delivery of one of them has
   *     tasks
   */
  void insert(List<HoldToStore> holds, Duration keep) {
    StringBuilder sql =
        new StringBuilder(
            "INSERT INTO t_hold (task_type, worker_id, hold_id, trace_id, task_ids, expire_time)");
    List<Object> values = new ArrayList<>();
    for (HoldToStore hold : sortedByKey(holds)) {
      sql.append(values.isEmpty() ? "\nVALUES " : ", ").append(VALUES);
      values.add(hold.hold().type().name());
      values.add(hold.hold().workerId());
      values.add(hold.hold().holdId());
      values.add(hold.traceId());
      values.add(hold.ids().stream().map(TaskId::toString).collect(Collectors.joining(",")));
      values.add(keep.toMillis());
    }
    jdbc.sql(sql.toString()).params(values).update();
  }

  /** All servers insert in this order, so that they cannot deadlock. */
  private static List<HoldToStore> sortedByKey(List<HoldToStore> holds) {
    return holds.stream()
        .sorted(
            Comparator.comparing((HoldToStore hold) -> hold.hold().workerId())
                .thenComparing(hold -> hold.hold().holdId()))
        .toList();
  }

  /** Deletes a hold that no longer holds any of its tasks. */
  void delete(Hold hold, String traceId) {
    jdbc.sql(
            """
            DELETE FROM t_hold
            WHERE task_type = :type
              AND worker_id = :worker
              AND hold_id = :hold
              AND trace_id = :trace
            """)
        .param("type", hold.type().name())
        .param("worker", hold.workerId())
        .param("hold", hold.holdId())
        .param("trace", traceId)
        .update();
  }

  @Bean
  Duty holdRetentionDuty(Retention retention) {
    return retention.of("hold", this::deleteExpired);
  }

  /** Deletes a page of expired rows and returns their number. */
  int deleteExpired(int limit) {
    return jdbc.sql(
            sql("DELETE FROM t_hold WHERE expire_time < now_ms ORDER BY expire_time LIMIT :limit"))
        .param("limit", limit)
        .update();
  }

  private static List<TaskId> parse(String ids) {
    return Arrays.stream(ids.split(",")).map(id -> TaskId.parse(id).orElseThrow()).toList();
  }
}
