package io.asyncflow.flowsvr.system;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The only clock that decides about due times, leases and leaders: the database's.
 *
 * <p>Servers' clocks are compared with nobody's. Where a decision can be made inside a statement it
 * uses {@link #NOW_MS}; where it is made in Java it uses the {@code now} that a row was read with.
 */
@Component
public class DatabaseClock {

  /**
   * An SQL expression for the epoch millisecond at which its statement began. Sessions run in UTC,
   * so that no daylight saving makes an hour ambiguous.
   */
  public static final String NOW_MS = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

  private final JdbcClient jdbc;

  DatabaseClock(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The database's epoch millisecond; costs a round trip. */
  public long nowMs() {
    return jdbc.sql("SELECT " + NOW_MS).query(Long.class).single();
  }
}
