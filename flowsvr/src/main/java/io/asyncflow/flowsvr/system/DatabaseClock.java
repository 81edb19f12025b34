package io.asyncflow.flowsvr.system;

/**
 * The only clock that decides about due times, leases and leaders: the database's.
 *
 * <p>Servers' clocks are compared with nobody's. Where a decision can be made inside a statement it
 * uses {@link #NOW_MS}; where it is made in Java it uses the {@code now} that a row was read with.
 */
public final class DatabaseClock {

  /**
   * An SQL expression for the epoch millisecond at which its statement began. Sessions run in UTC,
   * so that no daylight saving makes an hour ambiguous.
   */
  public static final String NOW_MS = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

  private DatabaseClock() {}
}
