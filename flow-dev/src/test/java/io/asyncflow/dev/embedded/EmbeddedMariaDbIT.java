package io.asyncflow.dev.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.OwnerOnlyFiles;
import io.asyncflow.dev.process.ChildProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("faults")
@Timeout(120)
class EmbeddedMariaDbIT {
  @TempDir Path directory;

  @Test
  void dataSurvivesARestartInTheSameDirectory() throws SQLException {
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0)) {
      execute(database, "CREATE TABLE t (n INT)");
      execute(database, "INSERT INTO t VALUES (42)");
    }
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0)) {
      assertThat(number(database, "SELECT n FROM t")).isEqualTo(42);
    }
  }

  @Test
  void killedServerComesBackOnTheSamePortWithItsData() throws SQLException {
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0, Durability.RELAXED)) {
      DatabaseEndpoint before = database.endpoint();
      execute(database, "CREATE TABLE t (n INT)");
      execute(database, "INSERT INTO t VALUES (42)");

      database.kill();
      assertThat(database.isRunning()).isFalse();
      database.restart();

      assertThat(database.endpoint()).isEqualTo(before);
      assertThat(number(database, "SELECT n FROM t")).isEqualTo(42);
    }
  }

  @Test
  void onlyTheOwnerGetsIn() throws Exception {
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0)) {
      assertThatThrownBy(() -> withPassword(database, "").connect("mysql"))
          .hasMessageContaining("Access denied");
      assertThatThrownBy(() -> as(database, "somebody", "").connect("mysql"))
          .hasMessageContaining("Access denied");
      assertThat(number(database, "SELECT COUNT(*) FROM mysql.user WHERE User = ''")).isZero();
      OwnerOnlyFiles.assertClosed(
          directory, database.secrets(), database.endpoint().password(), database.pid());
      assertThat(directory.resolve("tmp")).isDirectoryNotContaining("glob:**.sql*");
      assertThat(database.endpoint().toString()).doesNotContain(database.endpoint().password());
    }
  }

  @Test
  void statementsTouchNoFile() throws Exception {
    Path file = directory.resolve("planted");
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0, Durability.RELAXED)) {
      assertThatThrownBy(() -> execute(database, "SELECT 'planted' INTO DUMPFILE '" + file + "'"))
          .hasMessageContaining("--secure-file-priv");
      assertThat(number(database, "SELECT LOAD_FILE('/etc/hostname') IS NULL")).isEqualTo(1);
      assertThat(number(database, "SELECT @@local_infile")).isZero();
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void directoryOfAVersionWithoutPasswordsGetsOne() throws Exception {
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0, Durability.RELAXED)) {
      execute(database, "CREATE TABLE t (n INT)");
      execute(database, "INSERT INTO t VALUES (42)");
      // As mariadb-install-db leaves it.
      execute(database, "CREATE USER ''@'localhost'");
      execute(database, "CREATE USER 'root'@'::1'");
      execute(database, "GRANT ALL ON *.* TO 'root'@'::1'");
      execute(database, "ALTER USER 'root'@'localhost' IDENTIFIED BY ''");
      execute(database, "ALTER USER 'root'@'127.0.0.1' IDENTIFIED BY ''");
      Files.delete(database.secrets());
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0)) {
      assertThat(number(database, "SELECT n FROM t")).isEqualTo(42);
      assertThat(number(database, "SELECT COUNT(*) FROM mysql.user WHERE Host = '::1'")).isZero();
      assertThatThrownBy(() -> withPassword(database, "").connect("mysql"))
          .hasMessageContaining("Access denied");
      assertThat(OwnerOnlyFiles.permissionsOf(directory)).isEqualTo("rwx------");
    }
  }

  @Test
  void orphanOfAKilledJvmIsStoppedFirst() throws Exception {
    try (ServerOwner owner = ServerOwner.of("mariadb", directory)) {
      ProcessHandle orphan = owner.server();
      owner.killWithItsWatchers();
      assertThat(ChildProcess.runsAProgram(orphan)).isTrue();

      try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0)) {
        assertThat(ChildProcess.runsAProgram(orphan)).isFalse();
        assertThat(number(database, "SELECT 1")).isEqualTo(1);
      }
    }
  }

  @Test
  void serverEndsWithItsKilledJvm() throws Exception {
    try (ServerOwner owner = ServerOwner.of("mariadb", directory)) {
      ProcessHandle server = owner.server();
      owner.kill();
      assertThat(ChildProcess.isGoneWithin(Duration.ofSeconds(30), server)).isTrue();
    }
  }

  @Test
  void directoryOfALiveJvmIsRefused() throws Exception {
    try (ServerOwner owner = ServerOwner.of("mariadb", directory)) {
      assertThatThrownBy(() -> EmbeddedMariaDb.start(directory, 0))
          .isInstanceOf(DevException.class)
          .hasMessageContaining("is in use by another running Asyncflow (process ");
      assertThat(owner.server().isAlive()).isTrue();
    }
  }

  @Test
  void takenPortIsRefusedInOneSentence() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertThatThrownBy(() -> EmbeddedMariaDb.start(directory, taken.getLocalPort()))
          .hasMessage(
              "Port %d on 127.0.0.1 is taken, so MariaDB 11.4.5 (embedded) cannot start.",
              taken.getLocalPort());
    }
  }

  @Test
  void sessionsSpeakUtcAndUnicode() throws SQLException {
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory, 0, Durability.RELAXED)) {
      assertThat(number(database, "SELECT @@session.time_zone IN ('UTC', '+00:00')")).isEqualTo(1);
      assertThat(number(database, "SELECT CHAR_LENGTH('\uD83D\uDE00')")).isEqualTo(1);
      assertThat(number(database, "SELECT @@collation_database LIKE 'utf8mb4%'")).isEqualTo(1);
    }
  }

  private static DatabaseEndpoint withPassword(EmbeddedMariaDb database, String password) {
    return as(database, "root", password);
  }

  private static DatabaseEndpoint as(EmbeddedMariaDb database, String user, String password) {
    DatabaseEndpoint own = database.endpoint();
    return new DatabaseEndpoint(own.product(), own.host(), own.port(), user, password);
  }

  private static void execute(EmbeddedMariaDb database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int number(EmbeddedMariaDb database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private static Connection connect(EmbeddedMariaDb database) throws SQLException {
    return database.endpoint().connect("flow");
  }
}
