package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./asyncflow dev} does with data of another baseline of the schema. */
@Tag("faults")
class OldDataIT {

  /** As Flyway leaves it after the first of several files. */
  private static final List<String> ANOTHER_BASELINE =
      List.of(
          """
          CREATE TABLE flyway_schema_history (
            installed_rank INT NOT NULL,
            version VARCHAR(50),
            description VARCHAR(200) NOT NULL,
            type VARCHAR(20) NOT NULL,
            script VARCHAR(1000) NOT NULL,
            checksum INT,
            installed_by VARCHAR(100) NOT NULL,
            installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
            execution_time INT NOT NULL,
            success BOOL NOT NULL,
            PRIMARY KEY (installed_rank)
          )
          """,
          """
          INSERT INTO flyway_schema_history
            (installed_rank, version, description, type, script, checksum, installed_by,
             execution_time, success)
          VALUES
            (1, '1', 'tables', 'SQL', 'V1__tables.sql', 42, 'root', 1, 1),
            (2, '2', 'governance', 'SQL', 'V2__governance.sql', 42, 'root', 1, 1)
          """,
          "CREATE TABLE t_schedule_cfg (task_type VARCHAR(31) NOT NULL PRIMARY KEY)",
          "INSERT INTO t_schedule_cfg VALUES ('older')");

  @TempDir Path directory;
  private Path home;
  private Path data;

  @BeforeEach
  void installInADirectoryOfItsOwn() throws IOException {
    home = Files.createDirectory(directory.resolve("home"));
    data = home.resolve(".asyncflow/dev");
    Files.createSymbolicLink(home.resolve("flowsvr"), Document.home().resolve("flowsvr"));
  }

  @Test
  void devMovesItAsideAndStartsAnew() throws Exception {
    leaveDataOfAnotherBaseline();

    try (Background dev = startDev("first.log")) {
      assertThat(movedAside()).hasSize(1);
      assertThat(dev.printed())
          .contains("The data in " + data + " was made from another baseline")
          .contains("it is in " + movedAside().get(0) + " now");
    }
    try (Background dev = startDev("second.log")) {
      assertThat(dev.printed()).doesNotContain("another baseline");
    }

    assertThat(movedAside()).hasSize(1);
    assertThat(typesIn(movedAside().get(0))).containsExactly("older");
  }

  private void leaveDataOfAnotherBaseline() throws SQLException {
    try (EmbeddedMariaDb database = databaseIn(data);
        Connection connection = database.endpoint().connect("asyncflow");
        Statement statement = connection.createStatement()) {
      for (String sql : ANOTHER_BASELINE) {
        statement.execute(sql);
      }
    }
  }

  private static EmbeddedMariaDb databaseIn(Path data) {
    return EmbeddedMariaDb.start(data.resolve("mariadb"), 0, Durability.RELAXED);
  }

  private Background startDev(String log) throws IOException {
    int port = freePort();
    List<String> command =
        Command.java(
            System.getProperty("java.class.path"),
            List.of("-Dasyncflow.home=" + home),
            List.of(
                "io.asyncflow.dev.command.DevLauncher",
                "dev",
                "--no-worker",
                "--port",
                Integer.toString(port)));
    Background dev = Background.start(directory.resolve(log), command);
    dev.awaitPrinted("Asyncflow is ready at http://127.0.0.1:" + port);
    URI url = URI.create("http://127.0.0.1:" + port);
    assertThat(new HttpFlowClient(url, null).taskTypes()).isNotEmpty();
    return dev;
  }

  private List<Path> movedAside() throws IOException {
    try (Stream<Path> files = Files.list(data.getParent())) {
      return files.filter(file -> file.toString().startsWith(data + ".old-")).toList();
    }
  }

  private static List<String> typesIn(Path data) throws SQLException {
    try (EmbeddedMariaDb database = databaseIn(data);
        Connection connection = database.endpoint().connect("asyncflow");
        Statement statement = connection.createStatement()) {
      var rows = statement.executeQuery("SELECT GROUP_CONCAT(task_type) FROM t_schedule_cfg");
      rows.next();
      return List.of(rows.getString(1).split(","));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
