package io.asyncflow.flowsvr.task.number;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch.Seen;
import io.asyncflow.flowsvr.base.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.number.LiveServers.LiveServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@code t_server_number}: leases each number to one process at a time. Thread-safe. */
@Component
class ServerNumberStore {

  /** Of this program, as its archive says; empty where it runs without one. */
  private static final String VERSION =
      Objects.requireNonNullElse(
          ServerNumberStore.class.getPackage().getImplementationVersion(), "");

  private final JdbcClient jdbc;
  private final RetryingTransactions transactions;

  /** Over the connections of heartbeats, so that a busy pool does not look like an outage. */
  @Autowired
  ServerNumberStore(HeartbeatDatabase database) {
    this(database.client(), database.transactions());
  }

  ServerNumberStore(JdbcClient jdbc, RetryingTransactions transactions) {
    this.jdbc = jdbc;
    this.transactions = transactions;
  }

  /**
   * A granted lease.
   *
   * @param firstMs epoch ms from which numbers may be generated
   * @param limitMs epoch ms up to which numbers may be generated
   * @param nowMs the database's epoch ms
   */
  record Grant(int serverNumber, long firstMs, long limitMs, long nowMs) {}

  /**
   * Leases a free number.
   *
   * @throws IllegalStateException if all numbers are leased
   */
  Grant acquire(Node owner, ServerLoad load, Duration lease) {
    for (int attempt = 0; attempt < TaskNumbers.MAX_SERVERS; attempt++) {
      try {
        return transactions.execute(
            () -> reuse(owner, load, lease).orElseGet(() -> add(owner, load, lease)));
      } catch (DuplicateKeyException e) {
        // another server added the same number: the next attempt sees it
      }
    }
    throw new IllegalStateException("no server number could be leased");
  }

  private Optional<Grant> reuse(Node owner, ServerLoad load, Duration lease) {
    Optional<Grant> free =
        jdbc.sql(
                sql(
                    """
                    SELECT server_number, GREATEST(id_time_limit + 1, now_ms), now_ms
                    FROM t_server_number
                    WHERE lease_end < now_ms
                    ORDER BY id_time_limit
                    LIMIT 1
                    FOR UPDATE SKIP LOCKED
                    """))
            .query((rs, row) -> new Grant(rs.getInt(1), rs.getLong(2), 0, rs.getLong(3)))
            .optional();
    return free.map(
        found -> {
          long limit = found.firstMs() + lease.toMillis();
          return write(
              """
              UPDATE t_server_number
              SET owner = :owner,
                  host = :host,
                  start_time = :now,
                  lease_end = :leaseEnd,
                  beat_time = :now,
                  database_node = '',
                  id_time_limit = :limit,
                  version = :version,
                  schedule_weight = :weight,
                  busy = :busy
              WHERE server_number = :number
                AND lease_end < :now
              """,
              new Grant(found.serverNumber(), found.firstMs(), limit, found.nowMs()),
              owner,
              load,
              lease);
        });
  }

  private Grant write(String sql, Grant grant, Node owner, ServerLoad load, Duration lease) {
    int written =
        jdbc.sql(sql)
            .param("owner", owner.id())
            .param("host", owner.host())
            .param("now", grant.nowMs())
            .param("leaseEnd", grant.nowMs() + lease.toMillis())
            .param("limit", grant.limitMs())
            .param("version", VERSION)
            .param("weight", load.weight())
            .param("busy", load.busy())
            .param("number", grant.serverNumber())
            .update();
    if (written == 0) { // only where SKIP LOCKED takes no lock, as with TiDB
      throw new DuplicateKeyException("another server took the number");
    }
    return grant;
  }

  private Grant add(Node owner, ServerLoad load, Duration lease) {
    Grant next =
        jdbc.sql(sql("SELECT COALESCE(MAX(server_number), -1) + 1, now_ms FROM t_server_number"))
            .query(
                (rs, row) -> {
                  long now = rs.getLong(2);
                  return new Grant(rs.getInt(1), now, now + lease.toMillis(), now);
                })
            .single();
    if (next.serverNumber() >= TaskNumbers.MAX_SERVERS) {
      throw new IllegalStateException(
          "all " + TaskNumbers.MAX_SERVERS + " server numbers are leased by other servers");
    }
    return write(
        """
        INSERT INTO t_server_number
          (server_number, owner, host, start_time, lease_end, beat_time, id_time_limit,
           version, schedule_weight, busy)
        VALUES (:number, :owner, :host, :now, :leaseEnd, :now, :limit,
                :version, :weight, :busy)
        """,
        next,
        owner,
        load,
        lease);
  }

  /**
   * Renews the lease.
   *
   * @param lastMs the latest epoch ms for which a number was generated
   * @return empty if another process has the number
   */
  Optional<Grant> renew(
      int serverNumber, String owner, ServerLoad load, long lastMs, Duration lease) {
    int renewed =
        transactions.retrying(
            () ->
                jdbc.sql(
                        sql(
                            """
                            UPDATE t_server_number
                            SET lease_end = now_ms + :lease,
                                beat_time = now_ms,
                                id_time_limit = GREATEST(now_ms, :lastMs) + :lease,
                                schedule_weight = :weight,
                                busy = :busy
                            WHERE server_number = :number
                              AND owner = :owner
                            """))
                    .param("lease", lease.toMillis())
                    .param("lastMs", lastMs)
                    .param("weight", load.weight())
                    .param("busy", load.busy())
                    .param("number", serverNumber)
                    .param("owner", owner)
                    .update());
    if (renewed == 0) {
      return Optional.empty();
    }
    return jdbc.sql(
            """
            SELECT id_time_limit, lease_end - :lease
            FROM t_server_number
            WHERE server_number = :number
              AND owner = :owner
            """)
        .param("lease", lease.toMillis())
        .param("number", serverNumber)
        .param("owner", owner)
        .query((rs, row) -> new Grant(serverNumber, 0, rs.getLong(1), rs.getLong(2)))
        .optional();
  }

  /**
   * Extends the lease, and nothing that the numbers of tasks depend on: one statement, for beats
   * more frequent than renewals.
   *
   * @param database what the owner knows of it; of what it does not know the row stays as it is
   * @return false if another process has the number
   */
  boolean beat(int serverNumber, String owner, Seen database, ServerLoad load, Duration lease) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_server_number
                    SET lease_end = now_ms + :lease,
                        beat_time = now_ms,
                        database_since = IF(database_node = :database, database_since, now_ms),
                        database_node = :database,
                        id_step_since = IF(:step = '', id_step_since, now_ms - :stepAge),
                        id_step = IF(:step = '', id_step, :step),
                        schedule_weight = :weight,
                        busy = :busy
                    WHERE server_number = :number
                      AND owner = :owner
                    """))
            .param("lease", lease.toMillis())
            .param("database", database.writerId())
            .param("step", database.step())
            .param("stepAge", database.stepAgeMs())
            .param("weight", load.weight())
            .param("busy", load.busy())
            .param("number", serverNumber)
            .param("owner", owner)
            .update()
        == 1;
  }

  /**
   * How many database servers the live servers have written to for longer than two beats: after a
   * switch, all have followed by then.
   */
  int writers() {
    return jdbc.sql(
            sql(
                """
                SELECT COUNT(DISTINCT database_node)
                FROM t_server_number
                WHERE lease_end > now_ms
                  AND beat_time > now_ms - :twoBeats
                  AND database_since < now_ms - :twoBeats
                  AND database_node <> ''
                """))
        .param("twoBeats", 2 * ServerNumber.BEAT_INTERVAL.toMillis())
        .query(Integer.class)
        .single();
  }

  /**
   * For how long servers have seen no other step of the ids: all of them write what they saw, and a
   * new owner of a number begins with what the one before wrote.
   *
   * @return very long if none has ever written another
   */
  Duration stepAge(String step) {
    return Duration.ofMillis(
        jdbc.sql(
                sql(
                    """
                    SELECT now_ms - COALESCE(MAX(IF(id_step = :step, id_step_since, beat_time)), 0)
                    FROM t_server_number
                    WHERE id_step <> ''
                    """))
            .param("step", step)
            .query(Long.class)
            .single());
  }

  /** Releases the number; the next owner starts after {@code lastMs}. */
  void release(int serverNumber, String owner, long lastMs) {
    jdbc.sql(
            sql(
                """
                UPDATE t_server_number
                SET lease_end = 0,
                    beat_time = now_ms,
                    id_time_limit = :lastMs
                WHERE server_number = :number
                  AND owner = :owner
                """))
        .param("lastMs", lastMs)
        .param("number", serverNumber)
        .param("owner", owner)
        .update();
  }

  @Bean
  Duty serverNumberRetentionDuty(Retention retention) {
    return retention.of("server-number", limit -> deleteUnused(Duration.ofDays(1), limit));
  }

  /**
   * Deletes a page of numbers without a lease for which no task number was generated that long.
   * Returns how many.
   */
  int deleteUnused(Duration unused, int limit) {
    return jdbc.sql(
            sql(
                """
                DELETE FROM t_server_number
                WHERE lease_end < now_ms
                  AND id_time_limit < now_ms - :unused
                ORDER BY server_number
                LIMIT :limit
                """))
        .param("unused", unused.toMillis())
        .param("limit", limit)
        .update();
  }

  /** The servers that renewed their lease within this time, by number. */
  List<LiveServer> live(Duration time) {
    return jdbc.sql(
            sql(
                """
                SELECT owner, host, server_number, start_time, lease_end - :lease AS beat_time,
                  version, schedule_weight, busy
                FROM t_server_number
                WHERE lease_end > now_ms + :lease - :time
                ORDER BY server_number
                """))
        .param("lease", ServerNumber.LEASE.toMillis())
        .param("time", time.toMillis())
        .query(
            (rs, row) ->
                new LiveServer(
                    rs.getString("owner"),
                    rs.getString("host"),
                    rs.getInt("server_number"),
                    rs.getLong("start_time"),
                    rs.getLong("beat_time"),
                    rs.getString("version"),
                    rs.getInt("schedule_weight"),
                    rs.getInt("busy")))
        .list();
  }
}
