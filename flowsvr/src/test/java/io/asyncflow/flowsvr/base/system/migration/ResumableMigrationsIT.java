package io.asyncflow.flowsvr.base.system.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The real migrations, and a made-up one after them, cut off after each of their statements. */
@Tag("contract")
class ResumableMigrationsIT {

  private static final String CUT_OFF = "cut off";

  /** Each start gets one statement further than the start before it, and is cut off again. */
  @Test
  void migrationThatIsCutOffAfterEachStatementIsFinished() {
    DataSource whole = schema();
    Set<String> all = new HashSet<>();
    migrate(new ScriptDatabase(whole, noting(all)));

    DataSource cut = schema();
    Set<String> executed = new HashSet<>();
    int cuts = 0;
    while (isCutOff(new ScriptDatabase(cut, oneMoreThan(executed)))) {
      forgetFailure(cut);
      cuts++;
    }
    assertThat(cuts).isEqualTo(all.size() - 1);
    assertThat(columnsAndKeys(cut)).isEqualTo(columnsAndKeys(whole));
  }

  private static ScriptDatabase.Interceptor noting(Set<String> executed) {
    return (sql, real) -> {
      if (isOfAMigration(sql)) {
        executed.add(sql);
      }
      return real.run();
    };
  }

  /** Executes one statement that is not among these, and no more. */
  private static ScriptDatabase.Interceptor oneMoreThan(Set<String> executed) {
    int most = executed.size() + 1;
    return (sql, real) -> {
      if (isOfAMigration(sql) && executed.size() == most && !executed.contains(sql)) {
        throw new SQLException(CUT_OFF);
      }
      return noting(executed).execute(sql, real);
    };
  }

  /** Not of Flyway's own table. */
  private static boolean isOfAMigration(String sql) {
    return !sql.contains("flyway_schema_history");
  }

  private static boolean isCutOff(DataSource database) {
    try {
      migrate(database);
      return false;
    } catch (FlywayException e) {
      assertThat(e).hasMessageContaining(CUT_OFF);
      return true;
    }
  }

  /** Who is killed does not write down that it failed. */
  private static void forgetFailure(DataSource cut) {
    JdbcClient.create(cut).sql("DELETE FROM flyway_schema_history WHERE success = 0").update();
  }

  @Test
  void tableThatIsThereBeforeTheMigrationBeginsIsNotPassedOver() {
    DataSource database = schema();
    migrating(database).target("1").load().migrate();
    JdbcClient.create(database).sql("CREATE TABLE t_weight (somebody INT)").update();
    assertThatThrownBy(() -> migrate(database)).hasMessageContaining("t_weight");
  }

  @Test
  void whatAnotherMigrationOfTheSameVersionHasMadeIsNotPassedOver(@TempDir Path directory)
      throws IOException {
    Files.writeString(
        directory.resolve("V1__older.sql"),
        "CREATE TABLE t_schedule_pos (older INT);\nSELECT * FROM t_cut_off;\n");
    DataSource database = schema();
    assertThatThrownBy(
            () -> migrating(database).locations("filesystem:" + directory).load().migrate())
        .hasMessageContaining("t_cut_off");
    forgetFailure(database);
    assertThatThrownBy(() -> migrate(database)).hasMessageContaining("t_schedule_pos");
  }

  private static DataSource schema() {
    DatabaseEndpoint database = TestServices.database();
    return new DriverManagerDataSource(
        database.jdbcUrl(TestServices.newSchema("resumed")), database.user(), database.password());
  }

  private static void migrate(DataSource database) {
    migrating(database).load().migrate();
  }

  private static FluentConfiguration migrating(DataSource database) {
    ResumableMigrations resumable = new ResumableMigrations();
    return Flyway.configure()
        .dataSource(new ScriptDatabase(database, resumable))
        .callbacks(resumable)
        .locations("classpath:db/migration", "classpath:db/later");
  }

  private static List<String> columnsAndKeys(DataSource database) {
    return JdbcClient.create(database)
        .sql(
            """
            SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable)
            FROM information_schema.columns
            WHERE table_schema = DATABASE()
              AND table_name <> 'flyway_schema_history'
            UNION ALL
            SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name)
            FROM information_schema.statistics
            WHERE table_schema = DATABASE()
              AND table_name <> 'flyway_schema_history'
            ORDER BY 1
            """)
        .query(String.class)
        .list();
  }
}
