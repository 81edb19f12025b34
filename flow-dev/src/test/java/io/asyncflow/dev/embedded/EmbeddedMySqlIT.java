package io.asyncflow.dev.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.host.OwnerOnlyFiles;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
@Tag("contract")
@EnabledIfSystemProperty(
    named = "asyncflow.test.database",
    matches = "mysql8",
    disabledReason = "MySQL 8.0.33 and its libraries come with the profile mysql8")
class EmbeddedMySqlIT {
  @TempDir Path directory;

  @Test
  void realMySqlKeepsItsDataThroughARestart() throws Exception {
    try (EmbeddedMySql database = EmbeddedMySql.start(directory, 0, Durability.RELAXED)) {
      assertThat(text(database, "SELECT VERSION()")).isEqualTo("8.0.33");
      execute(database, "CREATE TABLE t (n INT)");
      execute(database, "INSERT INTO t VALUES (42)");

      database.kill();
      database.restart();

      assertThat(text(database, "SELECT n FROM t")).isEqualTo("42");
    }
  }

  @Test
  void onlyTheOwnerGetsIn() throws Exception {
    try (EmbeddedMySql database = EmbeddedMySql.start(directory, 0, Durability.RELAXED)) {
      DatabaseEndpoint own = database.endpoint();
      DatabaseEndpoint open =
          new DatabaseEndpoint(own.product(), own.host(), own.port(), own.user(), "");
      assertThatThrownBy(() -> open.connect("mysql")).hasMessageContaining("Access denied");
      OwnerOnlyFiles.assertClosed(
          directory, directory.resolve("secrets"), own.password(), database.pid());
      assertThatThrownBy(() -> execute(database, "SELECT 1 INTO OUTFILE '/tmp/planted'"))
          .hasMessageContaining("--secure-file-priv");
    }
  }

  private static void execute(EmbeddedMySql database, String sql) throws Exception {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String text(EmbeddedMySql database, String sql) throws Exception {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static Connection connect(EmbeddedMySql database) throws Exception {
    return database.endpoint().connect("flow");
  }
}
