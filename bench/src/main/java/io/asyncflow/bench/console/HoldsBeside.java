package io.asyncflow.bench.console;

import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.flow.LiveCalls;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Holds of single tasks beside something. First the statements are counted that the database is
 * sent while nobody holds.
 */
public final class HoldsBeside implements Contender<BesideCost> {

  /** Until what begins and what was before is no part of the figures any more. */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  private final Sights sights;
  private final Company company;

  public HoldsBeside(Sights sights, Company company) {
    this.sights = sights;
    this.company = company;
  }

  @Override
  public String name() {
    return company.name();
  }

  @Override
  public String conditions() {
    return company.seen();
  }

  @Override
  public BesideCost run(int seconds) throws Exception {
    try (AutoCloseable ends = company.begin()) {
      TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
      double statements = statementsPerSecond(seconds);
      try (LiveCalls calls = LiveCalls.start(sights.bed(), Sights.type(), 1)) {
        TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
        long begin = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        calls.check();
        return new BesideCost(statements, calls.holdsBetween(begin, System.nanoTime()));
      }
    }
  }

  private double statementsPerSecond(int seconds) throws SQLException, InterruptedException {
    try (Connection connection = sights.bed().connect()) {
      long before = ServerStatus.of(connection, "Questions");
      long begin = System.nanoTime();
      TimeUnit.SECONDS.sleep(seconds);
      // The second look at the counter is a statement of ours.
      long questions = ServerStatus.of(connection, "Questions") - before - 1;
      return questions / ((System.nanoTime() - begin) / 1e9);
    }
  }

  @Override
  public void close() throws Exception {
    sights.close();
  }
}
