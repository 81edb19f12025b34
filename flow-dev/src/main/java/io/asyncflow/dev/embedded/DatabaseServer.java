package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.DirectoryLock;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * A MySQL-compatible server on loopback with one directory: {@code data/}, {@code tmp/}, a log, a
 * pid file and the lock that keeps other processes out.
 *
 * <p>Other users of the machine reach its port, so root has a random password, stored in the file
 * {@code secrets}. It is set at each start before the server listens, so that a directory of a
 * version without passwords, or without the file, starts normally. Statements cannot access files
 * outside the empty directory {@code none/}.
 *
 * <p>Thread-safe.
 */
final class DatabaseServer implements AutoCloseable {
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final int PORT_ATTEMPTS = 5;
  static final String USER = "root";

  private final DatabaseFlavour flavour;
  private final Durability durability;
  private final ParentDeath parentDeath;
  private final Path directory;
  private final Path data;
  private final Path temporary;
  private final DatabaseSecrets secrets;
  private final List<String> furtherOptions;
  private final DirectoryLock lock;
  private int port;
  private ChildProcess process;

  private DatabaseServer(
      DatabaseFlavour flavour,
      Durability durability,
      ParentDeath parentDeath,
      Path directory,
      List<String> furtherOptions,
      DirectoryLock lock) {
    this.flavour = flavour;
    this.durability = durability;
    this.parentDeath = parentDeath;
    this.directory = directory;
    this.data = directory.resolve("data");
    this.temporary = directory.resolve("tmp");
    this.secrets = DatabaseSecrets.in(directory);
    this.furtherOptions = List.copyOf(furtherOptions);
    this.lock = lock;
  }

  static DatabaseServer start(
      DatabaseFlavour flavour,
      Path directory,
      int port,
      Durability durability,
      ParentDeath parentDeath) {
    return start(flavour, directory, port, durability, parentDeath, List.of());
  }

  /**
   * Starts a server.
   *
   * @param furtherOptions options of the running server, not of the creation of its system tables;
   *     they override the options of this class
   */
  static DatabaseServer start(
      DatabaseFlavour flavour,
      Path directory,
      int port,
      Durability durability,
      ParentDeath parentDeath,
      List<String> furtherOptions) {
    Path absolute = directory.toAbsolutePath().normalize();
    DirectoryLock lock = DirectoryLock.take(absolute);
    try {
      OwnerOnly.directory(absolute);
      DatabaseServer server =
          new DatabaseServer(flavour, durability, parentDeath, absolute, furtherOptions, lock);
      ChildProcess.stopOrphan(absolute);
      server.initializeOnce();
      server.startOn(port);
      return server;
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private void initializeOnce() {
    FileTree.delete(temporary);
    OwnerOnly.directory(temporary);
    OwnerOnly.directory(withoutFiles());
    if (Files.isDirectory(data)) {
      return;
    }
    // Created under another name and renamed, so that a killed start leaves no partial directory.
    Path unfinished = directory.resolve("data.unfinished");
    FileTree.delete(unfinished);
    FileTree.create(unfinished);
    flavour.initialize(
        unfinished, directory.resolve("initialize.log"), optionsFor(unfinished, durability));
    try {
      Files.move(unfinished, data, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new DevException("The directory " + data + " cannot be made.", e);
    }
  }

  private Path withoutFiles() {
    return directory.resolve("none");
  }

  private synchronized void startOn(int wantedPort) {
    for (int attempt = 1; ; attempt++) {
      port = wantedPort == 0 ? LoopbackPort.free() : wantedPort;
      if (!LoopbackPort.isFree(port)) {
        throw portTaken();
      }
      secrets.write(port);
      Path passwords = temporary.resolve("passwords.sql");
      OwnerOnly.write(passwords, String.join("\n", flavour.setPassword(secrets.password())));
      process = launch(passwords);
      try {
        process.awaitReady(this::acceptsConnections, START_PATIENCE);
        FileTree.delete(passwords);
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
        "Port "
            + port
            + " on "
            + LoopbackPort.HOST
            + " is taken, so "
            + flavour.product()
            + " cannot start.");
  }

  private ChildProcess launch(Path passwords) {
    List<String> command = new ArrayList<>();
    command.add(flavour.program().toString());
    command.addAll(optionsFor(data, durability));
    command.add("--port=" + port);
    command.add("--bind-address=" + LoopbackPort.HOST);
    // No Unix socket: its path may be at most 107 bytes long, and no client uses it.
    command.add("--socket=");
    command.add("--pid-file=" + temporary.resolve("database.pid"));
    command.add("--max-connections=500");
    // Read before the server listens: at no moment is root without a password.
    command.add("--init-file=" + passwords);
    command.addAll(furtherOptions);
    return ChildProcess.launch(
        flavour.product(), command, flavour.environment(), directory, parentDeath);
  }

  private List<String> optionsFor(Path dataDirectory, Durability promise) {
    List<String> options = new ArrayList<>();
    // Must be first: /etc/my.cnf is meant for another server.
    options.add("--no-defaults");
    options.add("--basedir=" + flavour.baseDirectory());
    options.add("--datadir=" + dataDirectory);
    options.add("--tmpdir=" + temporary);
    options.add("--secure-file-priv=" + withoutFiles());
    options.add("--local-infile=0");
    options.add("--innodb-buffer-pool-size=128M");
    options.add("--skip-log-bin");
    options.add("--character-set-server=utf8mb4");
    if ("root".equals(System.getProperty("user.name"))) {
      options.add("--user=root");
    }
    options.addAll(flavour.options(promise));
    return options;
  }

  private boolean acceptsConnections() {
    Properties impatient = new Properties();
    impatient.setProperty("connectTimeout", "1000");
    impatient.setProperty("socketTimeout", "5000");
    try (Connection connection = endpoint().connect("mysql", impatient)) {
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  synchronized DatabaseEndpoint endpoint() {
    return new DatabaseEndpoint(
        flavour.product(), LoopbackPort.HOST, port, USER, secrets.password());
  }

  Path secrets() {
    return secrets.file();
  }

  synchronized long pid() {
    return process.pid();
  }

  synchronized ChildProcess process() {
    return process;
  }

  synchronized boolean isRunning() {
    return process.isRunning();
  }

  synchronized void stop() {
    process.stop();
  }

  synchronized void kill() {
    process.kill();
  }

  /** Restarts the server on the same port after {@link #stop} or {@link #kill}. */
  synchronized void restart() {
    process.stop(); // even if it is dead: its watcher lives
    startOn(port);
  }

  @Override
  public synchronized void close() {
    process.stop();
    lock.close();
  }
}
