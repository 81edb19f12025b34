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
 * An embedded Redis server on loopback, without persistence.
 *
 * <p>Other users of the machine reach its port, so it has a random password in the file {@code
 * secrets} in its directory. Redis reads it from the file, because all users can see a program's
 * arguments.
 *
 * <p>The server belongs to this JVM: it ends with {@link #close}, at the latest when the JVM dies
 * in any way. A server that survives even that is stopped by the next start in its directory.
 * Thread-safe.
 */
public final class EmbeddedRedis implements AutoCloseable {
  private static final String VERSION = "7.0.15";
  private static final String NAME = "Redis " + VERSION + " (embedded)";
  private static final Duration START_PATIENCE = Duration.ofSeconds(20);
  private static final int PORT_ATTEMPTS = 5;

  private final Path directory;
  private final Path program;
  private final DirectoryLock lock;
  private final ParentDeath parentDeath;
  private final String password = OwnerOnly.newPassword();
  private int port;
  private ChildProcess process;

  private EmbeddedRedis(Path directory, Path program, DirectoryLock lock, ParentDeath parentDeath) {
    this.directory = directory;
    this.program = program;
    this.lock = lock;
    this.parentDeath = parentDeath;
  }

  /**
   * Starts a server.
   *
   * @param dir the directory of its log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @return the running server, ready for connections
   * @throws DevException in one sentence: port taken, directory in use
   */
  public static EmbeddedRedis start(Path dir, int port) {
    return start(dir, port, ParentDeath.STOPS_CHILD);
  }

  /** Starts a server on a free port that leaves nothing behind when this JVM ends. */
  public static EmbeddedRedis startDisposable(Path dir) {
    return start(dir, 0, ParentDeath.DISCARDS_CHILD);
  }

  private static EmbeddedRedis start(Path dir, int port, ParentDeath parentDeath) {
    Path directory = dir.toAbsolutePath().normalize();
    Path program = unpackedProgram();
    DirectoryLock lock = DirectoryLock.take(directory);
    try {
      OwnerOnly.directory(directory);
      ChildProcess.stopOrphan(directory);
      EmbeddedRedis redis = new EmbeddedRedis(directory, program, lock, parentDeath);
      redis.startOn(port);
      return redis;
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static Path unpackedProgram() {
    NativeBinaries.requireLinux("Redis", "amd64", "arm64");
    String file = "redis-server-" + VERSION + "-linux-" + NativeBinaries.architecture();
    return NativeBinaries.unpackOnce("redis-" + VERSION, "", file, file::equals).resolve(file);
  }

  private synchronized void startOn(int wantedPort) {
    for (int attempt = 1; ; attempt++) {
      port = wantedPort == 0 ? LoopbackPort.free() : wantedPort;
      if (!LoopbackPort.isFree(port)) {
        throw portTaken();
      }
      process = launch();
      try {
        process.awaitReady(() -> LoopbackPort.answersPing(port, password), START_PATIENCE);
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
        "Port " + port + " on " + LoopbackPort.HOST + " is taken, so " + NAME + " cannot start.");
  }

  private ChildProcess launch() {
    OwnerOnly.write(secrets(), "requirepass " + password + "\n");
    List<String> command =
        List.of(
            program.toString(),
            secrets().toString(),
            "--port",
            Integer.toString(port),
            "--bind",
            LoopbackPort.HOST,
            "--dir",
            directory.toString(),
            "--save",
            "",
            "--appendonly",
            "no",
            // Keeps the directory visible in the arguments, by which an orphan is recognized.
            "--set-proc-title",
            "no");
    return ChildProcess.launch(NAME, command, Map.of(), directory, parentDeath);
  }

  /**
   * Its address and password, as {@code redis://:password@127.0.0.1:port}; unchanged by a restart.
   */
  public synchronized String url() {
    return urlVia(port);
  }

  /** The same for clients that connect through another port on 127.0.0.1. */
  public String urlVia(int otherPort) {
    return "redis://:" + password + "@" + LoopbackPort.HOST + ":" + otherPort;
  }

  /** The password, never empty. */
  public String password() {
    return password;
  }

  /** The configuration with the password, which only its owner can read. */
  public Path secrets() {
    return directory.resolve("secrets");
  }

  /** The TCP port on 127.0.0.1. */
  public synchronized int port() {
    return port;
  }

  /** The process id of the server, for tests that send it signals. */
  public synchronized long pid() {
    return process.pid();
  }

  /** Whether the server's process is alive. */
  public synchronized boolean isRunning() {
    return process.isRunning();
  }

  /** The present or last process. */
  public synchronized ChildProcess process() {
    return process;
  }

  /** Stops the server with SIGTERM and returns when it has ended; its data is lost. */
  public synchronized void stop() {
    process.stop();
  }

  /** Kills the server with SIGKILL and returns when it has ended; its data is lost. */
  public synchronized void kill() {
    process.kill();
  }

  /** Restarts the server, empty, on the same port and returns when it is ready. */
  public synchronized void restart() {
    process.stop(); // even if it is dead: its watcher lives
    startOn(port);
  }

  /** Stops the server and releases the directory. */
  @Override
  public synchronized void close() {
    process.stop();
    lock.close();
  }
}
