package io.asyncflow.flowsvr.compose.schedule.slice;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Statements on {@code t_schedule_slice}, and the counts of schedules by slice. Each write names
 * what it has read, so that only one of several servers succeeds. Thread-safe.
 */
@Component
public class SliceStore {

  private final JdbcClient jdbc;
  private final RetryingTransactions transactions;

  SliceStore(JdbcClient jdbc, RetryingTransactions transactions) {
    this.jdbc = jdbc;
    this.transactions = transactions;
  }

  /**
   * A slice's row.
   *
   * @param owner a node's id; empty before the first owner
   * @param leaseEnd epoch ms
   * @param leaseMs the remaining time of the lease; 0 or less when it has ended
   * @param takeTime epoch ms since when it is the owner's
   * @param load of its active schedules, as of the last minute
   * @param schedules active ones, as of the last minute
   */
  public record Row(
      int slice,
      String owner,
      long epoch,
      long leaseEnd,
      long leaseMs,
      long takeTime,
      long load,
      int schedules) {

    /** Whether it has no owner, by the database's clock. */
    public boolean isOver() {
      return owner.isEmpty() || leaseMs < 0;
    }

    OwnedSlice owned() {
      return new OwnedSlice(slice, epoch);
    }

    /** Its load as shares count it: also an empty slice is one. */
    long size() {
      return Math.max(1, load);
    }
  }

  /** All slices, by number. */
  public List<Row> all() {
    return jdbc.sql(
            sql(
                """
                SELECT slice, owner, epoch, lease_end, lease_end - now_ms AS lease_ms, take_time,
                  load_ AS `load`, schedules
                FROM t_schedule_slice
                ORDER BY slice
                """))
        .query(Row.class)
        .list();
  }

  /** Renews all leases of this owner; those that ran out, too, if no other server took them. */
  void renew(String owner, Duration lease) {
    transactions.retrying(
        () ->
            jdbc.sql(
                    sql(
                        """
                        UPDATE t_schedule_slice
                        SET lease_end = now_ms + :lease
                        WHERE owner = :owner
                        """))
                .param("lease", lease.toMillis())
                .param("owner", owner)
                .update());
  }

  /**
   * Gives a slice to a server at the epoch after {@code seen}; false if the row has changed.
   *
   * @param isVacant whether it has no owner, or is its owner's to give, whatever the database's
   *     clock says
   */
  boolean give(Row seen, String to, boolean isVacant, Duration lease) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_schedule_slice
                    SET owner = :to,
                        epoch = epoch + 1,
                        lease_end = now_ms + :lease,
                        take_time = now_ms
                    WHERE slice = :slice
                      AND owner = :owner
                      AND epoch = :epoch
                      AND lease_end = :leaseEnd
                      AND (:vacant OR lease_end < now_ms)
                    """))
            .param("to", to)
            .param("lease", lease.toMillis())
            .param("slice", seen.slice())
            .param("owner", seen.owner())
            .param("epoch", seen.epoch())
            .param("leaseEnd", seen.leaseEnd())
            .param("vacant", isVacant)
            .update()
        == 1;
  }

  /** Ends all leases of this owner now. */
  void stop(String owner) {
    jdbc.sql(
            """
            UPDATE t_schedule_slice
            SET lease_end = 0
            WHERE owner = :owner
            """)
        .param("owner", owner)
        .update();
  }

  /**
   * The schedules of a slice.
   *
   * @param load of the active ones
   */
  record Counts(int active, long load, int paused) {

    static final Counts NONE = new Counts(0, 0, 0);
  }

  /** Counts the schedules of these slices: by slice, only where there are schedules. */
  Map<Integer, Counts> count(List<Row> slices) {
    Map<Integer, Counts> counts = new HashMap<>();
    jdbc.sql(
            """
            SELECT slice, SUM(state = 1), SUM(IF(state = 1, load_, 0)), SUM(state = 2)
            FROM t_schedule FORCE INDEX (idx_wake)
            WHERE slice IN (:slices)
            GROUP BY slice
            """)
        .param("slices", slices.stream().map(Row::slice).toList())
        .query(
            rs -> {
              counts.put(rs.getInt(1), new Counts(rs.getInt(2), rs.getLong(3), rs.getInt(4)));
            });
    return counts;
  }

  /** Writes what was counted, if the slice has the same owner still. */
  void save(Row counted, Counts counts) {
    jdbc.sql(
            """
            UPDATE t_schedule_slice
            SET load_ = :load,
                schedules = :schedules
            WHERE slice = :slice
              AND epoch = :epoch
            """)
        .param("load", counts.load())
        .param("schedules", counts.active())
        .param("slice", counted.slice())
        .param("epoch", counted.epoch())
        .update();
  }

  /**
   * For how many ms the schedule of a slice that is due the longest has waited to be looked at;
   * only slices with a schedule that will be looked at.
   */
  Map<Integer, Long> lateMs() {
    Map<Integer, Long> late = new HashMap<>();
    jdbc.sql(
            sql(
                """
                SELECT slice, GREATEST(0, now_ms - MIN(wake_time))
                FROM t_schedule
                WHERE wake_time IS NOT NULL
                GROUP BY slice
                """))
        .query(
            rs -> {
              late.put(rs.getInt(1), rs.getLong(2));
            });
    return late;
  }
}
