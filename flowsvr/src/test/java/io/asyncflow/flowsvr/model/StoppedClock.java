package io.asyncflow.flowsvr.model;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;

/**
 * MySQL's driver, but its connections see a clock that stands still until a test moves it, so that
 * what the server does can be foretold to the millisecond.
 *
 * <p>Each connection is told the time (the session's {@code timestamp}, which {@code NOW()} obeys)
 * before the first statement after a change. The driver is chosen by its name in {@code
 * spring.datasource.driver-class-name}, so every pool of the server has it, and is public for that.
 * The clock only goes forward, and all servers of a JVM share it.
 */
public final class StoppedClock extends com.mysql.cj.jdbc.Driver {

  private static final AtomicLong NOW =
      new AtomicLong(Instant.parse("2027-01-01T00:00:00Z").toEpochMilli());

  /** Hikari makes one by its name. */
  public StoppedClock() throws SQLException {}

  /** Epoch milliseconds, as every statement sees it. */
  static long nowMs() {
    return NOW.get();
  }

  static void advance(long ms) {
    NOW.addAndGet(ms);
  }

  @Override
  public Connection connect(String url, Properties info) throws SQLException {
    Connection connection = super.connect(url, info);
    return connection == null ? null : telling(connection);
  }

  private static Connection telling(Connection connection) {
    AtomicLong told = new AtomicLong();
    return (Connection)
        Proxy.newProxyInstance(
            StoppedClock.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (Statement.class.isAssignableFrom(method.getReturnType())) {
                tell(connection, told);
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void tell(Connection connection, AtomicLong told) throws SQLException {
    long now = nowMs();
    if (told.get() != now) {
      try (Statement statement = connection.createStatement()) {
        // Half a millisecond more: the value becomes a double, and NOW(3) cuts.
        statement.execute(
            String.format(Locale.ROOT, "SET timestamp = %s.%03d5", now / 1000, now % 1000));
      }
      told.set(now);
    }
  }
}
