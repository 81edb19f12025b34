package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.contest.Contender;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * Holds while somebody reads an old state of the database, as a backup does. What is held and
 * finished meanwhile leaves entries at the head of the index, which nothing may clear away while
 * they can be read; so it is a matter of time, not of a number of holds.
 */
public final class SnapshotHolds implements Contender<Histogram> {

  private static final Duration PURGE_PATIENCE = Duration.ofSeconds(20);

  /** As good as nothing left to clear away. */
  private static final long SHORT_HISTORY = 1_000;

  private final TestBed bed;
  private final BacklogHolds holds;
  private final Duration open;

  /**
   * @param open how long the snapshot is, and claims go on
   */
  public SnapshotHolds(TestBed bed, BacklogHolds holds, Duration open) {
    this.bed = bed;
    this.holds = holds;
    this.open = open;
  }

  @Override
  public String name() {
    return holds.name() + ", an old snapshot open";
  }

  @Override
  public String conditions() {
    return "a REPEATABLE READ transaction, open for " + open.toMillis() / 1000.0 + " s of claims";
  }

  @Override
  public Histogram run(int atLeast) throws Exception {
    Histogram latencies = new Histogram(3);
    try (Connection connection = bed.connect();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
      long start = System.nanoTime();
      while (latencies.getTotalCount() < atLeast || System.nanoTime() - start < open.toNanos()) {
        latencies.recordValue(holds.holdOnce().toNanos() / 1000);
      }
      statement.execute("ROLLBACK");
      awaitPurge(statement);
    }
    return latencies;
  }

  /** Lest whoever comes next finds the database clearing up. */
  private static void awaitPurge(Statement statement) throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + PURGE_PATIENCE.toNanos();
    while (historyLength(statement) > SHORT_HISTORY && System.nanoTime() < deadline) {
      Thread.sleep(100);
    }
  }

  private static long historyLength(Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT COUNT FROM information_schema.INNODB_METRICS"
                + " WHERE NAME = 'trx_rseg_history_len'")) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }
}
