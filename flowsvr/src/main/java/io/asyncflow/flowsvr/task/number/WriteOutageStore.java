package io.asyncflow.flowsvr.task.number;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.rules.WriteOutage;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_write_outage}: the times in which no server wrote the row of its number. Thread-safe.
 */
@Component
public class WriteOutageStore {

  private static final Logger log = LoggerFactory.getLogger(WriteOutageStore.class);
  private static final Duration KEPT = Duration.ofDays(30);

  /** The most that one look reads: the grace of earlier ones is over. */
  private static final int MOST = 100;

  /**
   * The time at which the row is made, not at which the statement began: the statement may have
   * waited for the end of the outage. A beat, which has the time of its beginning, never hides an
   * outage.
   */
  private static final String WRITE_MS = "CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)";

  private final JdbcClient jdbc;
  private final RetryingTransactions transactions;

  @Autowired
  WriteOutageStore(HeartbeatDatabase database) {
    this(database.client(), database.transactions());
  }

  WriteOutageStore(JdbcClient jdbc, RetryingTransactions transactions) {
    this.jdbc = jdbc;
    this.transactions = transactions;
  }

  /**
   * What is known of outages.
   *
   * @param outages in their order; the last one may still go on
   * @param now epoch ms of the database
   */
  public record Known(List<WriteOutage> outages, long now) {

    /** See {@link WriteOutage#sweptUntil}. */
    public long sweptUntil(Duration lease) {
      return WriteOutage.sweptUntil(outages, lease, now);
    }
  }

  /**
   * Records the outage that ends now. To be called before each beat.
   *
   * @return whether there was one
   */
  boolean record() {
    int found = insertIfEnded();
    if (found > 0) {
      log.info(
          "no server has written for {} s or longer: leases that ran out since then are swept when"
              + " their workers have had the time of two heartbeats",
          WriteOutage.SHORTEST.toSeconds());
      jdbc.sql(sql("DELETE FROM t_write_outage WHERE end_time < now_ms - :kept"))
          .param("kept", KEPT.toMillis())
          .update();
    }
    return found > 0;
  }

  private int insertIfEnded() {
    return transactions.retrying(
        () ->
            jdbc.sql(
                    """
                        INSERT IGNORE INTO t_write_outage (start_time, end_time)
                        SELECT last_beat, write_time
                        FROM (
                          SELECT MAX(beat_time) AS last_beat, %s AS write_time
                          FROM t_server_number
                          WHERE beat_time > 0
                        ) b
                        WHERE last_beat <= write_time - :shortest
                        """
                        .formatted(WRITE_MS))
                .param("shortest", WriteOutage.SHORTEST.toMillis())
                .update());
  }

  /** The last outages. One that has not been recorded yet, because it goes on, ends now. */
  public Known known() {
    WriteOutage sinceLastBeat =
        jdbc.sql(sql("SELECT MAX(beat_time), now_ms FROM t_server_number"))
            .query((rs, row) -> new WriteOutage(rs.getLong(1), rs.getLong(2)))
            .single();
    List<WriteOutage> outages =
        jdbc.sql(
                """
                SELECT start_time, end_time
                FROM t_write_outage
                ORDER BY start_time DESC
                LIMIT :most
                """)
            .param("most", MOST)
            .query((rs, row) -> new WriteOutage(rs.getLong(1), rs.getLong(2)))
            .list();
    Collections.reverse(outages);
    long now = sinceLastBeat.end();
    if (now - sinceLastBeat.start() >= WriteOutage.SHORTEST.toMillis()) {
      outages.add(sinceLastBeat);
    }
    return new Known(outages, now);
  }
}
