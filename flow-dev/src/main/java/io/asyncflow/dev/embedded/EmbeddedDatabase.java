package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A MySQL-compatible server on loopback; its directory has {@code data/} and {@code tmp/}, too.
 *
 * <p>Other users of the machine reach its port, so root has a random password, stored in the file
 * {@code secrets} in the format of the clients of MySQL and MariaDB: {@code mysql
 * --defaults-file=…/secrets asyncflow}. It is set at each start before the server listens, so that
 * a directory of a version without passwords, or without the file, starts normally. Statements
 * cannot access files outside the empty directory {@code none/}.
 */
public abstract class EmbeddedDatabase extends EmbeddedServer {
  private static final String USER = "root";
  private static final Pattern PASSWORD = Pattern.compile("(?m)^password=(\\w+)$");

  private final Path program;
  private final Path baseDirectory;
  private final Path data = directory().resolve("data");
  private final Path temporary = directory().resolve("tmp");
  private final Path withoutFiles = directory().resolve("none");
  private final Path passwords = temporary.resolve("passwords.sql");
  private String password;

  /**
   * @param baseDirectory the directory that the program calls so
   * @param program in the base directory
   */
  EmbeddedDatabase(
      String product,
      Path baseDirectory,
      String program,
      Path directory,
      ParentDeath parentDeath,
      Map<String, String> environment) {
    super(product, directory, parentDeath, environment, Duration.ofSeconds(60));
    this.baseDirectory = baseDirectory;
    this.program = baseDirectory.resolve(program);
  }

  /** Returns the options of this product alone, which every run of the program needs. */
  abstract List<String> options();

  /** Returns options of the running server, which override the others. */
  abstract List<String> furtherOptions();

  /** Returns options with which the program makes the system tables. */
  abstract List<String> initialization();

  /** Returns what the program reads then. */
  abstract ProgramRun.Input systemTables();

  /**
   * Returns statements, one for each line, that set root's password and remove all logins without a
   * password. They run at each start, with all privileges.
   */
  abstract List<String> setPassword(String newPassword);

  final Path baseDirectory() {
    return baseDirectory;
  }

  @Override
  final void prepare() {
    password = previousPassword();
    FileTree.delete(temporary);
    OwnerOnly.directory(temporary);
    OwnerOnly.directory(withoutFiles);
    if (Files.isDirectory(data)) {
      return;
    }
    // Created under another name and renamed, so that a killed start leaves no partial directory.
    Path unfinished = directory().resolve("data.unfinished");
    FileTree.delete(unfinished);
    FileTree.create(unfinished);
    List<String> command = commandOn(unfinished);
    command.addAll(initialization());
    Path log = directory().resolve("initialize.log");
    ProgramRun.run(product(), command, environment(), log, systemTables());
    try {
      Files.move(unfinished, data, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new DevException("The directory " + data + " cannot be made.", e);
    }
  }

  /** The password of the previous start, or a new one. */
  private String previousPassword() {
    try {
      String text = Files.exists(secrets()) ? Files.readString(secrets()) : "";
      Matcher matcher = PASSWORD.matcher(text);
      return matcher.find() ? matcher.group(1) : OwnerOnly.newPassword();
    } catch (IOException e) {
      throw new DevException("The file " + secrets() + " cannot be read.", e);
    }
  }

  private List<String> commandOn(Path dataDirectory) {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    // Must be first: /etc/my.cnf is meant for another server.
    command.add("--no-defaults");
    command.add("--basedir=" + baseDirectory);
    command.add("--datadir=" + dataDirectory);
    command.add("--tmpdir=" + temporary);
    command.add("--secure-file-priv=" + withoutFiles);
    command.add("--local-infile=0");
    command.add("--innodb-buffer-pool-size=128M");
    command.add("--skip-log-bin");
    command.add("--character-set-server=utf8mb4");
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    command.addAll(options());
    return command;
  }

  @Override
  final List<String> command(int listenPort) {
    // Before the database gets the password, so that it cannot be lost.
    OwnerOnly.write(
        secrets(),
        """
        [client]
        host=%s
        port=%s
        user=%s
        password=%s
        # The embedded server speaks no TLS, on which MariaDB's own clients insist.
        [client-mariadb]
        skip-ssl
        """
            .formatted(LoopbackPort.HOST, listenPort, USER, password));
    OwnerOnly.write(passwords, String.join("\n", setPassword(password)));
    List<String> command = commandOn(data);
    command.add("--port=" + listenPort);
    command.add("--bind-address=" + LoopbackPort.HOST);
    // No Unix socket: its path may be at most 107 bytes long, and no client uses it.
    command.add("--socket=");
    command.add("--pid-file=" + temporary.resolve("database.pid"));
    command.add("--max-connections=500");
    // Read before the server listens: at no moment is root without a password.
    command.add("--init-file=" + passwords);
    command.addAll(furtherOptions());
    return command;
  }

  @Override
  final boolean isReady() {
    Properties impatient = new Properties();
    impatient.setProperty("connectTimeout", "1000");
    impatient.setProperty("socketTimeout", "5000");
    try (Connection connection = endpoint().connect("mysql", impatient)) {
      FileTree.delete(passwords);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** The address and login; unchanged by a {@link #restart}. */
  public final DatabaseEndpoint endpoint() {
    return new DatabaseEndpoint(product(), LoopbackPort.HOST, port(), USER, password);
  }
}
