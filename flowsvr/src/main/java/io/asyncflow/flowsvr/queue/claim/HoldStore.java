package io.asyncflow.flowsvr.queue.claim;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
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

  /** The order in which all servers insert, so that they cannot deadlock. */
  static final Comparator<Hold> ORDER =
      Comparator.comparing(Hold::workerId).thenComparing(Hold::holdId);

  /** The numbers of the tasks of an earlier delivery, by their tables. */
  record StoredHold(String traceId, Map<TaskTable, List<Long>> numbers) {}

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

  /**
   * Stores the tasks of holds. Blocks while another transaction inserts one of the same holds.
   *
   * @param holds the tasks of each, at least one, in {@link #ORDER}
   * @throws org.springframework.dao.DuplicateKeyException if an earlier delivery of one of them has
   *     tasks
   */
  void insert(SortedMap<Hold, List<TaskRow>> holds, Duration keep) {
    List<Object> values = new ArrayList<>();
    holds.forEach(
        (hold, rows) ->
            values.addAll(
                List.of(
                    hold.type().name(),
                    hold.workerId(),
                    hold.holdId(),
                    rows.get(0).traceId(),
                    rows.stream().map(row -> row.id().toString()).collect(joining(",")),
                    keep.toMillis())));
    jdbc.sql(
            "INSERT INTO t_hold (task_type, worker_id, hold_id, trace_id, task_ids, expire_time)"
                + "\nVALUES "
                + String.join(", ", nCopies(holds.size(), VALUES)))
        .params(values)
        .update();
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

  private static Map<TaskTable, List<Long>> parse(String ids) {
    return Arrays.stream(ids.split(","))
        .map(id -> TaskId.parse(id).orElseThrow())
        .collect(groupingBy(TaskId::table, TreeMap::new, mapping(TaskId::number, toList())));
  }
}
