package io.asyncflow.flowsvr;

import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What statements cost: counted by the engine, not guessed from a plan. */
public final class RowsRead {

  /** The others count derived tables of a handful of rows, too. */
  private static final Set<String> COUNTED =
      Set.of(
          "Handler_read_first",
          "Handler_read_key",
          "Handler_read_last",
          "Handler_read_next",
          "Handler_read_prev",
          "Handler_read_rnd");

  private RowsRead() {}

  /**
   * How many rows of tables and indexes this work reads.
   *
   * @param jdbc in a transaction, so that the work's connection is that of the count
   */
  public static long by(JdbcClient jdbc, Runnable work) {
    long before = now(jdbc);
    work.run();
    return now(jdbc) - before;
  }

  private static long now(JdbcClient jdbc) {
    return jdbc
        .sql("SHOW SESSION STATUS LIKE 'Handler_read%'")
        .query((rs, row) -> COUNTED.contains(rs.getString(1)) ? rs.getLong(2) : 0)
        .list()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }
}
