package io.asyncflow.flowsvr.queue.create.limit;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements on {@code t_user_limit}. */
@Component
class UserLimitStore {

  /** The time of the read, after a wait for a lock, too. No index serves a condition with it. */
  private static final String NOW_US = "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)";

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  UserLimitStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * The used part of a user's rate.
   *
   * @param spentUntil microseconds since the epoch
   * @param now microseconds since the epoch, by the database's clock
   */
  record Spending(long spentUntil, long now) {}

  /**
   * Locks the rows of users until the transaction ends; inserts those that do not exist.
   *
   * @param users sorted, so that two calls cannot deadlock
   */
  Map<String, Spending> lock(TaskType type, Set<String> users) {
    batch.batchUpdate(
        """
        INSERT INTO t_user_limit (task_type, user_id)
        VALUES (?, ?)
        ON DUPLICATE KEY UPDATE
          spent_until = spent_until
        """,
        users.stream().map(user -> new Object[] {type.name(), user}).toList());
    return find(type, users);
  }

  /** The rows of those of the users that have one. */
  Map<String, Spending> find(TaskType type, Set<String> users) {
    Map<String, Spending> spendings = new HashMap<>();
    jdbc.sql(
            """
            SELECT user_id, spent_until, %s AS now_us
            FROM t_user_limit
            WHERE task_type = :type
              AND user_id IN (:users)
            """
                .formatted(NOW_US))
        .param("type", type.name())
        .param("users", List.copyOf(users))
        .query(
            rs -> {
              Spending spending = new Spending(rs.getLong("spent_until"), rs.getLong("now_us"));
              spendings.put(rs.getString("user_id"), spending);
            });
    return spendings;
  }

  /** Writes what the locked users have spent. */
  void spend(TaskType type, SortedMap<String, Long> spentUntil) {
    batch.batchUpdate(
        """
        INSERT INTO t_user_limit (task_type, user_id, spent_until)
        VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE
          spent_until = VALUES(spent_until)
        """,
        spentUntil.entrySet().stream()
            .map(entry -> new Object[] {type.name(), entry.getKey(), entry.getValue()})
            .toList());
  }

  @Bean
  Duty userLimitRetentionDuty(Retention retention) {
    return retention.of("user-limit", limit -> deleteIdle(Duration.ofHours(1), limit));
  }

  /** Deletes a page of users who have spent nothing for that long; returns their number. */
  int deleteIdle(Duration idle, int limit) {
    return jdbc.sql(
            sql(
                """
            DELETE FROM t_user_limit
            WHERE spent_until < (now_ms - :idle) * 1000
            ORDER BY spent_until
            LIMIT :limit
            """))
        .param("idle", idle.toMillis())
        .param("limit", limit)
        .update();
  }
}
