package io.asyncflow.flowsvr.queue.create;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_report_create}: the tasks that reports created, for repeats of these reports. They are
 * remembered as long as idempotency keys. Thread-safe.
 */
@Component
public class ReportedCreateStore {

  private final JdbcClient jdbc;
  private final long keptMs;

  ReportedCreateStore(
      JdbcClient jdbc, @Value("${flow.idempotency-key-retention:7d}") Duration retention) {
    this.jdbc = jdbc;
    this.keptMs = retention.toMillis();
  }

  /**
   * Records the tasks that the accepted report of a hold creates, in its transaction.
   *
   * @param epoch of the hold
   */
  public void insert(TaskId reported, int epoch, List<TaskId> created) {
    jdbc.sql(
            sql(
                """
                INSERT INTO t_report_create (task_number, lease_epoch, task_ids, expire_time)
                VALUES (:number, :epoch, :ids, now_ms + :kept)
                """))
        .param("number", reported.number())
        .param("epoch", epoch)
        .param("ids", created.stream().map(TaskId::toString).collect(joining(",")))
        .param("kept", keptMs)
        .update();
  }

  /** The ids of the tasks that the report of this hold created; empty if none are remembered. */
  public Optional<List<String>> find(TaskId reported, int epoch) {
    return jdbc.sql(
            """
            SELECT task_ids
            FROM t_report_create
            WHERE task_number = :number
              AND lease_epoch = :epoch
            """)
        .param("number", reported.number())
        .param("epoch", epoch)
        .query(String.class)
        .optional()
        .map(ids -> Arrays.asList(ids.split(",")));
  }

  @Bean
  Duty keyRetentionDuty(Retention retention, IdempotencyKeyStore keys) {
    return retention.of("key", keys::deleteExpired, this::deleteExpired);
  }

  /** Deletes a page of expired rows and returns how many. */
  int deleteExpired(int limit) {
    return jdbc.sql(
            sql(
                "DELETE FROM t_report_create WHERE expire_time < now_ms ORDER BY expire_time LIMIT :limit"))
        .param("limit", limit)
        .update();
  }
}
