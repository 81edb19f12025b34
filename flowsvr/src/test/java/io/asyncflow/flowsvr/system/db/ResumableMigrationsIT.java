package io.asyncflow.flowsvr.system.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The real migrations, and a made-up one after them, cut off after each of their statements. */
@Tag("contract")
class ResumableMigrationsIT {

  private static final int FOR_EVER = Integer.MAX_VALUE;

  @TestFactory
  List<DynamicTest> migrationThatWasCutOffIsFinished() {
    AtomicInteger all = new AtomicInteger();
    DataSource whole = schema();
    migrate(cutAfter(FOR_EVER, whole, all));
    List<String> wanted = columnsAndKeys(whole);
    return IntStream.range(1, all.get())
        .mapToObj(
            statements ->
                DynamicTest.dynamicTest(
                    "after statement " + statements, () -> resume(statements, wanted)))
        .toList();
  }

  private static void resume(int statements, List<String> wanted) {
    DataSource cut = schema();
    assertThatThrownBy(() -> migrate(cutAfter(statements, cut, new AtomicInteger())))
        .isInstanceOf(FlywayException.class);
    forgetFailure(cut);
    migrate(cut);
    assertThat(columnsAndKeys(cut)).isEqualTo(wanted);
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
        .dataSource(resumable.over(database))
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

  /** Its connections execute so many statements of scripts, and no more. */
  private static DataSource cutAfter(int statements, DataSource database, AtomicInteger executed) {
    return new DelegatingDataSource(database) {
      @Override
      public Connection getConnection() throws SQLException {
        Connection real = super.getConnection();
        return proxy(
            Connection.class,
            (connection, method, arguments) -> {
              Object result = invoke(() -> method.invoke(real, arguments));
              return method.getName().equals("createStatement")
                  ? statement((Statement) result, statements, executed)
                  : result;
            });
      }
    };
  }

  private static Statement statement(Statement real, int statements, AtomicInteger executed) {
    return proxy(
        Statement.class,
        (statement, method, arguments) -> {
          boolean ofScript = method.getName().equals("execute");
          if (ofScript && executed.incrementAndGet() > statements) {
            throw new SQLException("cut off");
          }
          return invoke(() -> method.invoke(real, arguments));
        });
  }

  @FunctionalInterface
  private interface Invocation {
    Object run() throws ReflectiveOperationException;
  }

  private static Object invoke(Invocation invocation) throws Throwable {
    try {
      return invocation.run();
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    ClassLoader loader = ResumableMigrationsIT.class.getClassLoader();
    return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, handler));
  }
}
