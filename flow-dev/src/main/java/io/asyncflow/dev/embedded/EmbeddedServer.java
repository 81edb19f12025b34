package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.DirectoryLock;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A native server on loopback, without an installation, with one directory: its log, its pid file,
 * the lock that keeps other processes out, and the file {@code secrets}.
 *
 * <p>The server belongs to this JVM: it ends with {@link #close}, at the latest when the JVM dies
 * in any way. A server that survives even that is stopped by the next start in its directory.
 * Thread-safe.
 */
public abstract class EmbeddedServer implements AutoCloseable {
  private static final int PORT_ATTEMPTS = 5;

  private final String product;
  private final Path directory;
  private final ParentDeath parentDeath;
  private final Map<String, String> environment;
  private final Duration patience;
  private DirectoryLock lock;
  private int port;
  private ChildProcess process;

  /**
   * Describes a server; nothing runs yet.
   *
   * @param product the display name of product and version
   * @param environment variables that the program needs
   * @param patience how long a start may take
   */
  EmbeddedServer(
      String product,
      Path directory,
      ParentDeath parentDeath,
      Map<String, String> environment,
      Duration patience) {
    this.product = product;
    this.environment = Map.copyOf(environment);
    this.patience = patience;
    this.directory = directory.toAbsolutePath().normalize();
    this.parentDeath = parentDeath;
  }

  /** Prepares the directory, which is locked, once for all starts. */
  abstract void prepare();

  /**
   * Writes the files of a start.
   *
   * @return the program (absolute path) and its arguments, one of which names the directory
   */
  abstract List<String> command(int listenPort);

  /** Whether it takes connections. */
  abstract boolean isReady();

  /**
   * Starts a server and returns it, ready for connections.
   *
   * @param wantedPort the TCP port on 127.0.0.1; 0 takes a free one
   * @throws DevException in one sentence: port taken, directory in use
   */
  static <S extends EmbeddedServer> S start(S server, int wantedPort) {
    server.begin(wantedPort);
    return server;
  }

  final synchronized void begin(int wantedPort) {
    lock = DirectoryLock.take(directory);
    try {
      OwnerOnly.directory(directory);
      ChildProcess.stopOrphan(directory);
      prepare();
      startOn(wantedPort);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private void startOn(int wantedPort) {
    for (int attempt = 1; ; attempt++) {
      port = wantedPort == 0 ? LoopbackPort.free() : wantedPort;
      if (!LoopbackPort.isFree(port)) {
        throw portTaken();
      }
      process = ChildProcess.launch(product, command(port), environment, directory, parentDeath);
      try {
        process.awaitReady(this::isReady, patience);
        return;
      } catch (DevException e) {
        if (!process.foundItsPortTaken()) {
          throw e;
        }
        // Another process was faster. A requested port is lost; otherwise another free port is
        // tried.
        if (wantedPort != 0 || attempt == PORT_ATTEMPTS) {
          throw portTaken();
        }
      }
    }
  }

  private DevException portTaken() {
    return new DevException(
        "Port %s on %s is taken, so %s cannot start.".formatted(port, LoopbackPort.HOST, product));
  }

  final Map<String, String> environment() {
    return environment;
  }

  final String product() {
    return product;
  }

  final Path directory() {
    return directory;
  }

  /** The file with the password, which only its owner can read. */
  public final Path secrets() {
    return directory.resolve("secrets");
  }

  /** The TCP port on 127.0.0.1; unchanged by a {@link #restart}. */
  public final synchronized int port() {
    return port;
  }

  /** The process id of the server, for tests that send it signals. */
  public final synchronized long pid() {
    return process.pid();
  }

  /** Whether the server's process is alive. */
  public final synchronized boolean isRunning() {
    return process.isRunning();
  }

  /** The present or last process. */
  public final synchronized ChildProcess process() {
    return process;
  }

  /** Stops the server with SIGTERM and returns when it has ended; the directory stays locked. */
  public final synchronized void stop() {
    process.stop();
  }

  /** Kills the server with SIGKILL and returns when it has ended; the directory stays locked. */
  public final synchronized void kill() {
    process.kill();
  }

  /** Restarts the server on the same port and returns when it is ready. */
  public final synchronized void restart() {
    process.stop(); // even if it is dead: its watcher lives
    startOn(port);
  }

  /** Stops the server and releases the directory. */
  @Override
  public final synchronized void close() {
    process.stop();
    lock.close();
  }
}
