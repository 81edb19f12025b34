package io.asyncflow.bench.bed;

import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedMySql;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The database that everybody runs on.
 *
 * @param endpoint where it is
 * @param pid its process, if it is ours
 * @param server stops it; does nothing for one that was given
 */
public record BenchDatabase(DatabaseEndpoint endpoint, OptionalLong pid, AutoCloseable server)
    implements AutoCloseable {

  private static final String JDBC = "jdbc:";

  /**
   * MySQL's own defaults, which nearly everybody runs it with: each commit is synced to this log,
   * too. Only that it is cut off sooner, for a disk that is not the bench's alone.
   */
  private static final List<String> BINARY_LOG =
      List.of(
          "--log-bin=binlog",
          "--server-id=1",
          "--sync-binlog=1",
          "--max-binlog-size=256M",
          "--binlog-expire-logs-seconds=60");

  private static final int DEFAULT_PORT = 3306;

  static BenchDatabase open(BenchOptions options, Path directory) {
    return switch (options.database()) {
      case MARIADB -> {
        EmbeddedMariaDb server = EmbeddedMariaDb.start(directory, 0, Durability.DURABLE);
        yield new BenchDatabase(server.endpoint(), OptionalLong.of(server.pid()), server);
      }
      case MYSQL8 -> {
        EmbeddedMySql server = EmbeddedMySql.start(directory, 0, Durability.DURABLE, BINARY_LOG);
        yield new BenchDatabase(server.endpoint(), OptionalLong.of(server.pid()), server);
      }
      case GIVEN -> given(options.mysqlUrl(), options.mysqlUser(), options.mysqlPassword());
    };
  }

  /** Host and port are taken from the URL; schema and options are the bench's own. */
  public static BenchDatabase given(String url, String user, String password) {
    URI uri;
    try {
      uri = URI.create(url.startsWith(JDBC) ? url.substring(JDBC.length()) : url);
    } catch (IllegalArgumentException e) {
      throw notAUrl(url);
    }
    if (!"mysql".equals(uri.getScheme()) || uri.getHost() == null) {
      throw notAUrl(url);
    }
    int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    return new BenchDatabase(
        new DatabaseEndpoint("given", uri.getHost(), port, user, password),
        OptionalLong.empty(),
        () -> {});
  }

  private static UsageException notAUrl(String url) {
    return new UsageException(
        "--mysql wants a URL as jdbc:mysql://127.0.0.1:3306, not " + url + ".");
  }

  @Override
  public void close() throws Exception {
    server.close();
  }
}
