package io.asyncflow.bench.console;

import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.flow.LiveCalls;
import io.asyncflow.bench.measure.CallCost;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Holds of single tasks beside something. First the statements are counted that the database is
 * sent while nobody holds.
 */
public final class HoldsBeside implements Contender<CallCost> {

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
  public CallCost run(int seconds) throws Exception {
    try (AutoCloseable ends = company.begin()) {
      TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
      double statements;
      try (Connection connection = sights.bed().connect()) {
        statements = ServerStatus.statementsPerSecond(connection, seconds);
      }
      try (LiveCalls calls = LiveCalls.start(sights.bed(), Sights.type(), 1)) {
        TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
        long begin = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        calls.check();
        return new CallCost(statements, calls.holdsBetween(begin, System.nanoTime()));
      }
    }
  }

  @Override
  public void close() throws Exception {
    sights.close();
  }
}
