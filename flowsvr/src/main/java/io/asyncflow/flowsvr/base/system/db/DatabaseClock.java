package io.asyncflow.flowsvr.base.system.db;

/**
 * The only clock that decides about due times, leases and leaders: the database's.
 *
 * <p>Servers' clocks are never compared. A decision inside a statement uses {@code now_ms} ({@link
 * #sql}); a decision in Java uses the database time that was read with the row.
 */
public final class DatabaseClock {

  /**
   * An SQL expression for the epoch millisecond at which its statement began. Sessions run in UTC,
   * so that no daylight saving makes an hour ambiguous.
   */
  public static final String NOW_MS = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

  private DatabaseClock() {}

  /** A statement in which {@code now_ms} stands for {@link #NOW_MS}. */
  public static String sql(String text) {
    return text.replace("now_ms", NOW_MS);
  }
}
