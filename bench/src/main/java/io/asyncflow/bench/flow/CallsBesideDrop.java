package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.Backlog;
import io.asyncflow.bench.bed.Family;
import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * {@link LiveCalls} of a family whose first table, full of finished tasks, is dropped meanwhile as
 * its retention is over. What counts is the time of the drop and a second after it.
 */
public final class CallsBesideDrop implements Contender<Histogram> {

  /** Two rounds of the retention, and what the drop itself may take. */
  private static final Duration PATIENCE = Duration.ofMinutes(6);

  /** What was written before the drop is on the disk by then. */
  private static final Duration SETTLING = Duration.ofMinutes(2);

  private static final int FEW_PAGES = 100;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int DAYS_PASS_EVERY = 100;

  private final TestBed bed;
  private final String type;
  private final int rows;
  private final PrintStream out;
  private Drop drop;
  private long unwritten;

  public CallsBesideDrop(TestBed bed, String type, int rows, PrintStream out) {
    this.bed = bed;
    this.type = type;
    this.rows = rows;
    this.out = out;
  }

  /** When the table was dropped, by {@link System#nanoTime}. */
  private record Drop(long began, long ended) {}

  @Override
  public String name() {
    return String.format(Locale.ROOT, "a table of %,d rows dropped", rows);
  }

  @Override
  public String conditions() {
    return drop == null
        ? ""
        : String.format(
            Locale.ROOT,
            "%,d pages were not on the disk before; the DROP took %d ms; calls from its beginning"
                + " to a second after its end",
            unwritten,
            TimeUnit.NANOSECONDS.toMillis(drop.ended() - drop.began()));
  }

  @Override
  public Histogram run(int millis) throws Exception {
    out.printf(Locale.ROOT, "Making %,d rows ...%n", rows);
    Backlog.done(bed, type, rows);
    Family family = new Family(bed, type);
    family.roll();
    family.await("begin behind what is done", position -> position.begin() == position.end());
    bed.flow().saveTaskType(Workload.rollingType(type, 100, 1_000_000_000L));
    settle();
    try (LiveCalls calls = LiveCalls.start(bed, type, LiveCalls.FEW)) {
      TimeUnit.MILLISECONDS.sleep(millis);
      drop = awaitDrop(family, calls);
      TimeUnit.NANOSECONDS.sleep(SECOND);
      calls.check();
      return calls.between(drop.began(), drop.ended() + SECOND);
    }
  }

  /**
   * Lets what was just written get to the disk: a table whose retention is over has been there for
   * days, and calls would wait for its pages behind those of their own commits.
   */
  private void settle() throws Exception {
    long deadline = System.nanoTime() + SETTLING.toNanos();
    try (Connection connection = bed.connect()) {
      unwritten = dirtyPages(connection);
      while (unwritten > FEW_PAGES && System.nanoTime() < deadline) {
        TimeUnit.SECONDS.sleep(1);
        unwritten = dirtyPages(connection);
      }
    }
    new ProcessBuilder("sync").start().waitFor();
  }

  private static long dirtyPages(Connection connection) throws SQLException {
    return ServerStatus.of(connection, "Innodb_buffer_pool_pages_dirty");
  }

  private Drop awaitDrop(Family family, LiveCalls calls) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long began = 0;
    try (Connection connection = bed.connect()) {
      for (int look = 0; isThere(connection); look++) {
        calls.check();
        if (began == 0 && isBeingDropped(connection)) {
          began = System.nanoTime();
        }
        if (began == 0 && look % DAYS_PASS_EVERY == 0) {
          family.letADayPass();
        }
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("nobody drops the first table of " + type);
        }
        Thread.sleep(5);
      }
    }
    long ended = System.nanoTime();
    return new Drop(began == 0 ? ended : began, ended);
  }

  /** Its row goes after the table. */
  private boolean isThere(Connection connection) throws SQLException {
    return finds(
        connection, "SELECT 1 FROM t_task_table WHERE task_type = ? AND table_number = 1", type);
  }

  private boolean isBeingDropped(Connection connection) throws SQLException {
    return finds(
        connection,
        "SELECT 1 FROM information_schema.processlist WHERE info LIKE ?",
        "DROP TABLE%" + TestBed.firstTableOf(type));
  }

  private static boolean finds(Connection connection, String sql, String parameter)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, parameter);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }
}
