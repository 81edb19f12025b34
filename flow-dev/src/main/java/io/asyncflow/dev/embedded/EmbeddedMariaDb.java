package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import java.nio.file.Path;
import java.util.Map;

/**
 * An embedded MariaDB server on loopback, without an installation.
 *
 * <p>The server belongs to this JVM: it ends with {@link #close}, at the latest when the JVM dies
 * in any way. A server that survives even that is stopped by the next start in its directory. The
 * data stays. Thread-safe.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  private final DatabaseServer server;

  private EmbeddedMariaDb(DatabaseServer server) {
    this.server = server;
  }

  /**
   * Starts a server whose commits survive a power failure.
   *
   * @param dataDir the directory of its data, log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @return the running server, ready for connections
   * @throws DevException in one sentence: port taken, directory in use, library missing
   */
  public static EmbeddedMariaDb start(Path dataDir, int port) {
    return start(dataDir, port, Durability.DURABLE);
  }

  /**
   * Starts a server.
   *
   * @param dataDir the directory of its data, log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @param durability what a commit promises
   * @return the running server, ready for connections
   * @throws DevException in one sentence: port taken, directory in use, library missing
   */
  public static EmbeddedMariaDb start(Path dataDir, int port, Durability durability) {
    return start(dataDir, port, durability, Map.of());
  }

  /**
   * The same with environment variables of its processes.
   *
   * @param environment variables to add
   */
  public static EmbeddedMariaDb start(
      Path dataDir, int port, Durability durability, Map<String, String> environment) {
    return new EmbeddedMariaDb(
        DatabaseServer.start(
            new MariaDbFlavour(environment), dataDir, port, durability, ParentDeath.STOPS_CHILD));
  }

  /** Starts a server that leaves nothing behind when this JVM ends. */
  public static EmbeddedMariaDb startDisposable(Path dataDir) {
    return new EmbeddedMariaDb(
        DatabaseServer.start(
            new MariaDbFlavour(Map.of()),
            dataDir,
            0,
            Durability.RELAXED,
            ParentDeath.DISCARDS_CHILD));
  }

  /** The address and login; unchanged by a {@link #restart}. */
  public DatabaseEndpoint endpoint() {
    return server.endpoint();
  }

  /**
   * The file with root's password, which only its owner can read; clients of MySQL and MariaDB
   * accept it as {@code --defaults-file}.
   */
  public Path secrets() {
    return server.secrets();
  }

  /** The process id of the server, for tests that send it signals. */
  public long pid() {
    return server.pid();
  }

  /** Whether the server's process is alive. */
  public boolean isRunning() {
    return server.isRunning();
  }

  /** The present or last process. */
  public ChildProcess process() {
    return server.process();
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
