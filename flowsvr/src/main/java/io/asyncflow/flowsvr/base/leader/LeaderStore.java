package io.asyncflow.flowsvr.base.leader;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Statements on {@code t_leader}. Each write names the term that it read, so that only one of two
 * nodes wins.
 */
@Component
public class LeaderStore {

  private final JdbcClient jdbc;
  private final String role;

  @Autowired
  LeaderStore(JdbcClient jdbc) {
    this(jdbc, "governance");
  }

  /**
   * @param role of a row of {@code t_leader}
   */
  public LeaderStore(JdbcClient jdbc, String role) {
    this.jdbc = jdbc;
    this.role = role;
  }

  String role() {
    return role;
  }

  /**
   * The present row.
   *
   * @param leaseMs the remaining time of the lease; negative or 0 when it has ended
   */
  record Seen(String leader, long term, long leaseMs) {

    /**
     * Whether another node may take over: the lease is over, or ends later than any lease can,
     * because the database's clock was set back since. Otherwise a leader that died before the
     * clock step would not be replaced for as long as the step.
     */
    boolean isVacant(Duration lease) {
      return leaseMs <= 0 || leaseMs > 2 * lease.toMillis();
    }
  }

  Seen read() {
    return jdbc.sql(sql("SELECT leader, term, lease_end - now_ms FROM t_leader WHERE role = :role"))
        .param("role", role)
        .query((rs, row) -> new Seen(rs.getString(1), rs.getLong(2), rs.getLong(3)))
        .single();
  }

  /**
   * Begins the term after {@code seenTerm}; false if another node has, or the term is not
   * {@linkplain Seen#isVacant vacant}.
   */
  boolean takeOver(String node, long seenTerm, Duration lease) {
    return jdbc.sql(
                sql(
                    """
                UPDATE t_leader
                SET leader = :node,
                    term = term + 1,
                    lease_end = now_ms + :lease
                WHERE role = :role
                  AND term = :term
                  AND (lease_end <= now_ms OR lease_end > now_ms + 2 * :lease)
                """))
            .param("node", node)
            .param("lease", lease.toMillis())
            .param("role", role)
            .param("term", seenTerm)
            .update()
        == 1;
  }

  /** Renews exactly this term; false if it has ended. */
  boolean renew(String node, long term, Duration lease) {
    return jdbc.sql(
                sql(
                    """
                UPDATE t_leader
                SET lease_end = now_ms + :lease
                WHERE role = :role
                  AND leader = :node
                  AND term = :term
                  AND lease_end > now_ms
                """))
            .param("lease", lease.toMillis())
            .param("role", role)
            .param("node", node)
            .param("term", term)
            .update()
        == 1;
  }

  /** Ends exactly this term now, so that another node need not wait for the lease. */
  void resign(String node, long term) {
    jdbc.sql(
            """
            UPDATE t_leader
            SET lease_end = 0
            WHERE role = :role
              AND leader = :node
              AND term = :term
            """)
        .param("role", role)
        .param("node", node)
        .param("term", term)
        .update();
  }
}
