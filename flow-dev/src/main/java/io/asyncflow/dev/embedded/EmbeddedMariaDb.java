package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import java.nio.file.Path;

/**
 * A MariaDB server of one's own, on loopback, without anything installed.
 *
 * <p>It belongs to this JVM: it ends with {@link #close}, at the latest when the JVM dies, however
 * that happens; and a server that survived even that is stopped by the next start in its directory.
 * The data stays. Thread-safe.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  private final DatabaseServer server;

  private EmbeddedMariaDb(DatabaseServer server) {
    this.server = server;
  }

  /**
   * Starts a server that keeps its commits through a power failure.
   *
   * @param dataDir the directory of its data, log and lock; made where it does not exist
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
   * @param dataDir the directory of its data, log and lock; made where it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @param durability what a commit promises
   * @return the running server, ready for connections
   * @throws DevException in one sentence: port taken, directory in use, library missing
   */
  public static EmbeddedMariaDb start(Path dataDir, int port, Durability durability) {
    return new EmbeddedMariaDb(
        DatabaseServer.start(
            new MariaDbFlavour(), dataDir, port, durability, ParentDeath.STOPS_CHILD));
  }

  /** Starts a server that leaves nothing behind when this JVM ends. */
  public static EmbeddedMariaDb startDisposable(Path dataDir) {
    return new EmbeddedMariaDb(
        DatabaseServer.start(
            new MariaDbFlavour(), dataDir, 0, Durability.RELAXED, ParentDeath.DISCARDS_CHILD));
  }

  /** Where it listens; the same before and after a {@link #restart}. */
  public DatabaseEndpoint endpoint() {
    return server.endpoint();
  }

  /**
   * The file with root's password, which only its owner can read; clients of MySQL and MariaDB take
   * it as {@code --defaults-file}.
   */
  public Path secrets() {
    return server.secrets();
  }

  /** The process id of the server, for tests that send it signals. */
  public long pid() {
    return server.pid();
  }

  /** Whether its process lives. */
  public boolean isRunning() {
    return server.isRunning();
  }

  /** The process that runs now, or ran last. */
  public ChildProcess process() {
    return server.process();
  }

  /** Shuts it down in order and returns when it is gone; the directory stays locked. */
  public void stop() {
    server.stop();
  }

  /** Ends it with SIGKILL and returns when it is gone; the directory stays locked. */
  public void kill() {
    server.kill();
  }

  /** Starts it again on the same port and returns when it is ready. */
  public void restart() {
    server.restart();
  }

  /** Shuts it down in order and gives the directory back. */
  @Override
  public void close() {
    server.close();
  }
}
