package io.asyncflow.bench.bed;

import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedMySql;
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
      case GIVEN -> new BenchDatabase(options.given(), OptionalLong.empty(), () -> {});
    };
  }

  @Override
  public void close() throws Exception {
    server.close();
  }
}
