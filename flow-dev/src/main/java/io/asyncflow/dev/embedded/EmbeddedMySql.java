package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.process.ParentDeath;
import java.nio.file.Path;
import java.util.List;

/**
 * MySQL 8.0.33 on loopback, for tests that must pass on more than one database.
 *
 * <p>The Maven profile {@code mysql8} unpacks it once per user; the system property {@code
 * asyncflow.mysql.home} names another installation. It needs the libraries libaio1 and libnuma1.
 * Otherwise as {@link EmbeddedMariaDb}. Thread-safe.
 */
public final class EmbeddedMySql implements AutoCloseable {
  private final DatabaseServer server;

  private EmbeddedMySql(DatabaseServer server) {
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param dataDir the directory of its data, log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @param durability what a commit promises
   * @return the running server, ready for connections
   * @throws DevException in one sentence: not unpacked, library missing, port taken, directory in
   *     use
   */
  public static EmbeddedMySql start(Path dataDir, int port, Durability durability) {
    return new EmbeddedMySql(
        DatabaseServer.start(
            new MySqlFlavour(), dataDir, port, durability, ParentDeath.STOPS_CHILD));
  }

  /**
   * Starts a server with further options, for example of a replication group.
   *
   * @param options command line options, which override the default ones
   */
  public static EmbeddedMySql start(
      Path dataDir, int port, Durability durability, List<String> options) {
    return new EmbeddedMySql(
        DatabaseServer.start(
            new MySqlFlavour(), dataDir, port, durability, ParentDeath.STOPS_CHILD, options));
  }

  /** Starts a server that leaves nothing behind when this JVM ends. */
  public static EmbeddedMySql startDisposable(Path dataDir) {
    return new EmbeddedMySql(
        DatabaseServer.start(
            new MySqlFlavour(), dataDir, 0, Durability.RELAXED, ParentDeath.DISCARDS_CHILD));
  }

  /** The address and login; unchanged by a {@link #restart}. */
  public DatabaseEndpoint endpoint() {
    return server.endpoint();
  }

  /** The process id of the server, for tests that send it signals. */
  public long pid() {
    return server.pid();
  }

  /** Whether the server's process is alive. */
  public boolean isRunning() {
    return server.isRunning();
  }

  /** Shuts the server down and returns when it has ended; the directory stays locked. */
  public void stop() {
    server.stop();
  }

  /** Kills the server with SIGKILL and returns when it has ended; the directory stays locked. */
  public void kill() {
    server.kill();
  }

  /** Restarts the server on the same port and returns when it is ready. */
  public void restart() {
    server.restart();
  }

  /** Shuts the server down and releases the directory. */
  @Override
  public void close() {
    server.close();
  }
}
