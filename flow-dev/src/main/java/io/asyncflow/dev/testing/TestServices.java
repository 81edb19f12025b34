package io.asyncflow.dev.testing;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedMySql;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.embedded.NativeBinaries;
import io.asyncflow.dev.host.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The database and the Redis that all tests of one JVM share, started when first asked for.
 *
 * <p>The system property {@code asyncflow.test.database} chooses the database: {@code mariadb}
 * (embedded), {@code mysql8} (the real MySQL 8.0.33, embedded) or {@code container} (MySQL 8.4 in
 * Docker). If it is not set, the container is used if Docker answers, otherwise MariaDB. The choice
 * is printed once, on standard output.
 *
 * <p>Tests are isolated by {@linkplain #newSchema their own schemas}. Database and Redis end with
 * the JVM and leave no processes or directories. Thread-safe.
 */
public final class TestServices {
  static final String DATABASE_PROPERTY = "asyncflow.test.database";
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  /**
   * Settings that some databases have, and under which statements mean something else: whatever
   * needs others sets them in its sessions.
   */
  private static final String UNUSUAL =
      """
      SET GLOBAL sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,NO_BACKSLASH_ESCAPES',
        GLOBAL sql_quote_show_create = 0, GLOBAL innodb_default_row_format = 'compact'
      """;

  private static DatabaseEndpoint database;
  private static EmbeddedRedis redis;
  private static Path directory;

  private TestServices() {}

  /**
   * The shared database, started by the first call.
   *
   * @return its address and the login with all privileges
   * @throws DevException in one sentence if the chosen database cannot start
   */
  public static synchronized DatabaseEndpoint database() {
    if (database == null) {
      TestDatabaseChoice choice = TestDatabaseChoice.of(System.getProperty(DATABASE_PROPERTY));
      database =
          switch (choice.kind()) {
            case MARIADB -> EmbeddedMariaDb.startDisposable(directory("mariadb")).endpoint();
            case MYSQL8 -> EmbeddedMySql.startDisposable(directory("mysql")).endpoint();
            case CONTAINER -> MySqlContainer.start();
          };
      execute(UNUSUAL);
      System.out.println("Test database: " + database.product() + "; " + choice.reason());
    }
    return database;
  }

  /**
   * Creates an empty schema on the shared database.
   *
   * @param prefix the prefix of its name: letters, digits and underscores
   * @return its name, unique over all test runs
   * @throws DevException if the database refuses
   */
  public static String newSchema(String prefix) {
    String name =
        String.format(
            Locale.ROOT,
            "%s_%d_%d",
            prefix.toLowerCase(Locale.ROOT),
            ProcessHandle.current().pid(),
            SCHEMAS.incrementAndGet());
    execute("CREATE DATABASE `" + name + "` CHARACTER SET utf8mb4");
    return name;
  }

  private static void execute(String sql) {
    try (Connection connection = database().connect("mysql");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new DevException("The test database refuses: " + sql, e);
    }
  }

  /**
   * The shared Redis, started by the first call, and again if a test has stopped it.
   *
   * @throws DevException in one sentence if it cannot start
   */
  public static synchronized EmbeddedRedis redis() {
    if (redis == null) {
      redis = EmbeddedRedis.startDisposable(directory("redis"));
    } else if (!redis.isRunning()) {
      redis.restart();
    }
    return redis;
  }

  // Not the JVM's temporary directory, which may be deleted while a server still writes.
  private static Path directory(String service) {
    if (directory == null) {
      Path target = Path.of("target").toAbsolutePath();
      Path parent =
          Files.isDirectory(target) ? target : FileTree.create(NativeBinaries.cacheDirectory());
      try {
        directory = Files.createTempDirectory(parent, "test-services-");
      } catch (IOException e) {
        throw new DevException("No directory can be made in " + parent + ".", e);
      }
    }
    return directory.resolve(service);
  }
}
