package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.flowsvr.wire.Wire;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * On a database with one setting that others have: a server works, or says why it does not start.
 */
@ExtendWith(OutputCaptureExtension.class)
class DatabaseSettingsIT {

  @TempDir private static Path directory;

  private static EmbeddedMariaDb server;
  private static DatabaseEndpoint database;
  private static JdbcTemplate root;

  @BeforeAll
  static void startDatabase() {
    server = EmbeddedMariaDb.startDisposable(directory);
    database = server.endpoint();
    root =
        new JdbcTemplate(
            new DriverManagerDataSource(
                database.jdbcUrl(""), database.user(), database.password()));
    root.execute("CREATE USER ordinary IDENTIFIED BY 'ordinary'");
  }

  @AfterAll
  static void stopDatabase() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "auto_increment_increment = 3               | 1",
        "sql_mode = 'SIMULTANEOUS_ASSIGNMENT'       | STRICT_TRANS_TABLES",
        "sql_mode = 'ORACLE'                        | ''",
        "tx_isolation = 'SERIALIZABLE'              | REPEATABLE-READ",
        "time_zone = '+05:30'                       | SYSTEM",
        "autocommit = 0                             | 1",
        "completion_type = 'RELEASE'                | NO_CHAIN",
        "foreign_key_checks = 0                     | 1",
      })
  void serverWorks(String setting, String before) {
    set(setting);
    try {
      assertThatServerWorks();
    } finally {
      set(setting.replaceAll("=.*", "= ") + (before.matches("\\d") ? before : "'" + before + "'"));
    }
  }

  @Test
  void serverThatSetsNothingInItsSessionsWorks() {
    assertThatServerWorks("--flow.database.session=");
  }

  private static void assertThatServerWorks(String... arguments) {
    try (ConfigurableApplicationContext context = start(newSchema(), arguments)) {
      Wire wire =
          new Wire(
              context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
      assertThat(wire.get("/actuator/health/readiness").status()).isEqualTo(200);
      wire.post("/api/task_schedule_cfg/save", "{'task_type':'lark'}");
      wire.post(
          "/api/task/createTask", "{'taskData':{'userId':'u','taskType':'lark','taskStage':'s'}}");
      Wire.Answer held = wire.get("/api/task/hold_task?taskType=lark&workerId=w&waitMs=1000");
      assertThat(held.result().path("taskList").size()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "read_only = 1    | 0 | false | takes no writes",
        "read_only = 1    | 0 | true  | takes no writes",
        "tx_read_only = 1 | 0 | false | takes no writes",
        "tx_read_only = 1 | 0 | true  | takes no writes",
      })
  void serverSaysWhyItDoesNotStart(
      String setting, String before, boolean hasTables, String sentence, CapturedOutput output) {
    String schema = newSchema();
    if (hasTables) {
      start(schema).close();
    }
    set(setting);
    try {
      assertThat(catchThrowable(() -> start(schema).close())).isNotNull();
    } finally {
      set(setting.replaceAll("=.*", "= " + before));
    }
    assertThat(output.getAll().lines().filter(line -> line.contains(" ERROR ")))
        .singleElement()
        .asString()
        .contains("flowsvr does not start: the database at ", sentence);
  }

  @Test
  void serverWarnsOfTooFewConnections(CapturedOutput output) {
    int before = root.queryForObject("SELECT @@max_connections", Integer.class);
    set("max_connections = 20");
    String pool = "--spring.datasource.hikari.maximum-pool-size=20";
    try (ConfigurableApplicationContext context = start(newSchema(), pool)) {
      assertThat(output)
          .contains("1 servers may open 26 connections each, and the database has 20 in all");
    } finally {
      set("max_connections = " + before);
    }
  }

  private static void set(String assignment) {
    root.execute("SET GLOBAL " + assignment);
  }

  /** Of a user with the grants of docs/databases.md, who is as read-only as the database. */
  private static String newSchema() {
    String schema = "settings_" + System.nanoTime();
    root.execute("CREATE DATABASE " + schema);
    root.execute(
        "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON "
            + schema
            + ".* TO ordinary");
    return schema;
  }

  private static ConfigurableApplicationContext start(String schema, String... more) {
    List<String> arguments =
        List.of(
            "--server.port=0",
            "--spring.datasource.url=" + database.jdbcUrl(schema),
            "--spring.datasource.username=ordinary",
            "--spring.datasource.password=ordinary");
    return new SpringApplication(FlowServer.class)
        .run(Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new));
  }
}
