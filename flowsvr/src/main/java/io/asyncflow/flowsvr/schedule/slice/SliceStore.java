package io.asyncflow.flowsvr.schedule.slice;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Statements on {@code t_schedule_slice}, and the counts of schedules by slice. Each write names
 * what it has read, so that only one of several servers succeeds. Thread-safe.
 */
@Component
class SliceStore {

  private final JdbcClient jdbc;
  private final JdbcTemplate batches;
  private final RetryingTransactions transactions;

  SliceStore(JdbcClient jdbc, JdbcTemplate batches, RetryingTransactions transactions) {
    this.jdbc = jdbc;
    this.batches = batches;
    this.transactions = transactions;
  }

  /**
   * A slice's row.
   *
   * @param owner a node's id; empty before the first owner
   * @param leaseEnd epoch ms
   * @param leaseMs the remaining time of the lease; 0 or less when it has ended
   * @param candidate the node that shall have it next; empty for none
   * @param candidateTime epoch ms
   * @param takeTime epoch ms since when it is the owner's
   * @param load of its active schedules, as of the last minute
   * @param schedules active ones, as of the last minute
   */
  record Row(
      int slice,
      String owner,
      long epoch,
      long leaseEnd,
      long leaseMs,
      String candidate,
      long candidateTime,
      long takeTime,
      long load,
      int schedules) {

    boolean isVacant() {
      return owner.isEmpty() || leaseMs < 0;
    }
  }

  /** All slices, by number. */
  List<Row> all() {
    return jdbc.sql(
            sql(
                """
            SELECT slice, owner, epoch, lease_end, lease_end - now_ms,
              candidate, candidate_time, take_time, load_, schedules
            FROM t_schedule_slice
            ORDER BY slice
            """))
        .query(
            (rs, row) ->
                new Row(
                    rs.getInt(1),
                    rs.getString(2),
                    rs.getLong(3),
                    rs.getLong(4),
                    rs.getLong(5),
                    rs.getString(6),
                    rs.getLong(7),
                    rs.getLong(8),
                    rs.getLong(9),
                    rs.getInt(10)))
        .list();
  }

  /** Renews all leases of this owner; those that ran out, too, if no other server took them. */
  int renew(String owner, Duration lease) {
    return transactions.executeStatement(
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
   * Takes a vacant slice at the epoch after {@code seen}; false if another server was first.
   *
   * @param isWatchedOut whether the row did not change for a whole lease: it is vacant then,
   *     whatever the database's clock says
   */
  boolean take(Row seen, String node, boolean isWatchedOut, Duration lease) {
    return jdbc.sql(
                sql(
                    """
                UPDATE t_schedule_slice
                SET owner = :node,
                    epoch = epoch + 1,
                    lease_end = now_ms + :lease,
                    candidate = '',
                    take_time = now_ms
                WHERE slice = :slice
                  AND epoch = :epoch
                  AND lease_end = :leaseEnd
                  AND (lease_end < now_ms OR :watchedOut)
                """))
            .param("node", node)
            .param("lease", lease.toMillis())
            .param("slice", seen.slice())
            .param("epoch", seen.epoch())
            .param("leaseEnd", seen.leaseEnd())
            .param("watchedOut", isWatchedOut)
            .update()
        == 1;
  }

  /** Makes the candidate the owner; false if the slice was lost, or promised to another. */
  boolean handOver(OwnedSlice slice, String owner, String candidate, Duration lease) {
    return jdbc.sql(
                sql(
                    """
                UPDATE t_schedule_slice
                SET owner = :candidate,
                    epoch = epoch + 1,
                    lease_end = now_ms + :lease,
                    candidate = '',
                    take_time = now_ms
                WHERE slice = :slice
                  AND owner = :owner
                  AND epoch = :epoch
                  AND candidate = :candidate
                """))
            .param("candidate", candidate)
            .param("lease", lease.toMillis())
            .param("slice", slice.slice())
            .param("owner", owner)
            .param("epoch", slice.epoch())
            .update()
        == 1;
  }

  /** Asks the owner for a slice; false if it changed its owner, or was promised to another. */
  boolean ask(Row seen, String node) {
    return setCandidate(seen, "", node);
  }

  /** Promises a slice, whoever it was promised to before; false if it changed its owner. */
  boolean promise(Row seen, String node) {
    return setCandidate(seen, seen.candidate(), node);
  }

  private boolean setCandidate(Row seen, String before, String candidate) {
    return jdbc.sql(
                sql(
                    """
                UPDATE t_schedule_slice
                SET candidate = :candidate,
                    candidate_time = now_ms
                WHERE slice = :slice
                  AND owner = :owner
                  AND epoch = :epoch
                  AND candidate = :before
                """))
            .param("candidate", candidate)
            .param("slice", seen.slice())
            .param("owner", seen.owner())
            .param("epoch", seen.epoch())
            .param("before", before)
            .update()
        == 1;
  }

  /** Clears a promise of an owner that was not kept; false if it is another promise by now. */
  boolean clearPromise(Row seen) {
    return jdbc.sql(
                """
                UPDATE t_schedule_slice
                SET candidate = ''
                WHERE slice = :slice
                  AND owner = :owner
                  AND epoch = :epoch
                  AND candidate = :candidate
                  AND candidate_time = :candidateTime
                """)
            .param("slice", seen.slice())
            .param("owner", seen.owner())
            .param("epoch", seen.epoch())
            .param("candidate", seen.candidate())
            .param("candidateTime", seen.candidateTime())
            .update()
        == 1;
  }

  /** Ends all leases of this owner now; returns their number. */
  int stop(String owner) {
    return jdbc.sql(
            """
            UPDATE t_schedule_slice
            SET lease_end = 0
            WHERE owner = :owner
            """)
        .param("owner", owner)
        .update();
  }

  /** The active schedules of a slice. */
  private record Load(int schedules, long load) {}

  /**
   * Counts the schedules of these slices and writes what has changed of the active ones into their
   * rows, as long as they have this owner at this epoch.
   *
   * @return the number of paused schedules by slice, where there are schedules
   */
  Map<Integer, Integer> refreshLoads(List<Row> mine) {
    if (mine.isEmpty()) {
      return Map.of();
    }
    Map<Integer, Load> loads = new HashMap<>();
    Map<Integer, Integer> paused = new HashMap<>();
    jdbc.sql(
            """
            SELECT slice, SUM(state = 1), SUM(IF(state = 1, load_, 0)), SUM(state = 2)
            FROM t_schedule FORCE INDEX (idx_wake)
            WHERE slice IN (:slices)
            GROUP BY slice
            """)
        .param("slices", mine.stream().map(Row::slice).toList())
        .query(
            rs -> {
              loads.put(rs.getInt(1), new Load(rs.getInt(2), rs.getLong(3)));
              paused.put(rs.getInt(1), rs.getInt(4));
            });
    Load none = new Load(0, 0);
    List<Object[]> changed =
        mine.stream()
            .filter(
                row ->
                    !loads
                        .getOrDefault(row.slice(), none)
                        .equals(new Load(row.schedules(), row.load())))
            .map(
                row -> {
                  Load load = loads.getOrDefault(row.slice(), none);
                  return new Object[] {
                    load.load(), load.schedules(), row.slice(), row.owner(), row.epoch()
                  };
                })
            .toList();
    if (!changed.isEmpty()) {
      batches.batchUpdate(
          """
          UPDATE t_schedule_slice
          SET load_ = ?,
              schedules = ?
          WHERE slice = ?
            AND owner = ?
            AND epoch = ?
          """,
          changed);
    }
    return paused;
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
