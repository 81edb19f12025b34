package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** How the server starts, and the one sentence that it says where it cannot. */
@ExtendWith(OutputCaptureExtension.class)
class StartupIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String KEY = "72057594037927936-31415926535";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FLOW_PORT=abc                          | FLOW_PORT is 'abc' and must be a port",
        "FLOW_PORT=99999                        | FLOW_PORT is '99999' and must be a port",
        "FLOW_ADDRESS=nohost.invalid            | FLOW_ADDRESS is 'nohost.invalid'",
        "FLOW_ACCESS=open                       | FLOW_ACCESS is 'open' and must be local, key or"
            + " keys",
        "FLOW_ACCESS=key                        | FLOW_ACCESS is key, and there is no FLOW_API_KEY",
        "FLOW_DOCS=perhaps                      | FLOW_DOCS is 'perhaps' and must be true or false",
        "FLOW_LEGACY_PATHS=perhaps              | FLOW_LEGACY_PATHS is 'perhaps' and must be true or",
        "FLOW_LEGACY_LEASE=25h                  | FLOW_LEGACY_LEASE is '25h' and must be a time from",
        "FLOW_LEGACY_LEASE=soon                 | FLOW_LEGACY_LEASE is 'soon' and must be a time from",
        "FLOW_GO_PATHS=java                     | FLOW_GO_PATHS is 'java' and must be true, false or",
        "FLOW_API_KEY=secret                    | FLOW_API_KEY would be guessed",
        "FLOW_API_KEY=changemesecretchangeme    | FLOW_API_KEY would be guessed",
        "FLOW_MYSQL_CONNECTIONS=0               | FLOW_MYSQL_CONNECTIONS is '0'",
        "FLOW_MYSQL_URL=mysql://host/secret     | FLOW_MYSQL_URL must be like jdbc:mysql://",
        "FLOW_MYSQL_URL=jdbc:oracle:secret      | FLOW_MYSQL_URL must be like jdbc:mysql://",
        "FLOW_MYSQL_URL=jdbc:mysql://u:secret@h | FLOW_MYSQL_URL contains a password",
        "FLOW_MYSQL_URL=jdbc:mysql://h/s?sessionVariables=a=1 | FLOW_MYSQL_URL sets"
            + " sessionVariables",
        "FLOW_MYSQL_PASSWORD_FILE=/nowhere      | FLOW_MYSQL_PASSWORD_FILE is '/nowhere', which",
        "FLOW_REDIS_URL=secret                  | FLOW_REDIS_URL must be like redis://host:6379",
        "FLOW_REDIS_URL=secret:6379             | FLOW_REDIS_URL must be like redis://host:6379",
        "FLOW_REDIS_URL=redis://secret          | FLOW_REDIS_URL must be like redis://host:6379",
        "FLOW_TLS=yes                           | FLOW_TLS is 'yes' and may only be proxy",
        "FLOW_TLS_CERT=/nowhere                 | FLOW_TLS_CERT must name a file in PEM format",
        "FLOW_TLS_KEY=-----BEGIN secret         | FLOW_TLS_KEY must name a file in PEM format",
        "FLOW_TLS_CLIENTS=maybe                 | FLOW_TLS_CLIENTS is 'maybe' and must be want,",
      })
  void settingThatCannotBeIsOneSentence(String setting, String sentence, CapturedOutput output) {
    assertThatThrownBy(() -> start("--" + setting)).isNotNull();

    assertThat(onlyError(output)).contains(sentence).doesNotContain("secret");
    assertThat(output).as("nothing was started").doesNotContain("Tomcat");
  }

  @Test
  void databaseThatDoesNotAnswerInTimeIsOneSentence(CapturedOutput output) throws Exception {
    int closed = closedPort();
    String url =
        "jdbc:mysql://secret@127.0.0.1:" + closed + "/asyncflow?connectionAttributes=secret:1";

    assertThatThrownBy(() -> start("--spring.datasource.url=" + url, "--flow.database-patience=1s"))
        .isNotNull();

    assertThat(output)
        .contains(
            "waiting up to 1 s for the database at jdbc:mysql://127.0.0.1:"
                + closed
                + "/asyncflow");
    assertThat(onlyError(output))
        .contains("the database at jdbc:mysql://127.0.0.1:" + closed + "/asyncflow does not answer")
        .contains("refused")
        .contains("FLOW_MYSQL_URL");
    assertThat(output).doesNotContain("secret");
  }

  @Test
  void wrongPasswordIsOneSentenceAtOnce(CapturedOutput output) {
    assertThatThrownBy(
            () ->
                start(
                    "--spring.datasource.url=" + TestServices.database().jdbcUrl("startup"),
                    "--spring.datasource.username=nobody",
                    "--spring.datasource.password=wrong",
                    "--flow.database-patience=10m"))
        .isNotNull();

    assertThat(onlyError(output)).contains("refuses the login").contains("FLOW_MYSQL_PASSWORD");
  }

  @Tag("faults")
  @Test
  void databaseThatIsLateIsWaitedFor(CapturedOutput output) throws Exception {
    int port = closedPort();
    DatabaseEndpoint database = TestServices.database();
    DatabaseEndpoint late =
        new DatabaseEndpoint("late", database.host(), port, database.user(), database.password());
    CompletableFuture<ConfigurableApplicationContext> server =
        CompletableFuture.supplyAsync(
            () -> start(with(late, "--server.port=0")), OtherThread::start);
    await().atMost(TIMEOUT).until(() -> output.getOut().contains("waiting up to 30 s"));

    try (Relay network = Relay.on(port, database.port())) {
      network.freeze(); // it has been reached, and its first connection takes longer than any other
      await().during(Duration.ofSeconds(3)).until(() -> !server.isDone());
      network.thaw();

      try (ConfigurableApplicationContext running = server.join()) {
        assertThat(wireTo(running).get("/actuator/health/readiness").status()).isEqualTo(200);
      }
    }
    assertThat(errors(output)).isEmpty();
  }

  @Test
  void tablesOfAnotherBaselineAreOneSentenceAndAnExitCode(CapturedOutput output) {
    DatabaseEndpoint database = TestServices.database();
    String url = database.jdbcUrl(TestServices.newSchema("startup"));
    JdbcTemplate sql = migrated(database, url);
    sql.update(
        """
        UPDATE flyway_schema_history
        SET script = 'V1__tables.sql', description = 'tables', checksum = 1
        WHERE version = '1'
        """);
    sql.update(
        """
        INSERT INTO flyway_schema_history
        SELECT 99, '99', 'governance', type, 'V99__governance.sql', 2, installed_by, installed_on,
          execution_time, success
        FROM flyway_schema_history
        WHERE version = '1'
        """);

    assertThatThrownBy(() -> start(with(database, "--spring.datasource.url=" + url)))
        .satisfies(failure -> assertThat(FlowServer.exitCode(failure)).hasValue(65));

    assertThat(onlyError(output))
        .contains("the tables at jdbc:mysql://" + database.host() + ":" + database.port() + "/")
        .contains("another baseline", "let FLOW_MYSQL_URL name an empty schema");
  }

  @Test
  void tablesOfAnotherStateOfTheCodeAreOneSentence(CapturedOutput output) {
    String[] migrations = {"classpath:db/migration", "classpath:db/later"};
    DatabaseEndpoint database = TestServices.database();
    String url = database.jdbcUrl(TestServices.newSchema("startup"));
    migrated(database, url, migrations)
        .update("UPDATE flyway_schema_history SET checksum = 1 WHERE version = '1000'");

    assertThatThrownBy(
            () ->
                start(
                    with(
                        database,
                        "--spring.datasource.url=" + url,
                        "--spring.flyway.locations=" + String.join(",", migrations))))
        .satisfies(failure -> assertThat(FlowServer.exitCode(failure)).isEmpty());

    assertThat(onlyError(output)).contains("made by another state").contains("--data-dir");
  }

  @ParameterizedTest
  @CsvSource({
    "1, drop this schema and start the server again",
    "1000, delete the row of flyway_schema_history whose success is 0 and start the server again",
  })
  void aMigrationThatFailedIsOneSentence(String version, String remedy, CapturedOutput output) {
    String[] migrations = {"classpath:db/migration", "classpath:db/later"};
    DatabaseEndpoint database = TestServices.database();
    String url = database.jdbcUrl(TestServices.newSchema("startup"));
    migrated(database, url, migrations)
        .update("UPDATE flyway_schema_history SET success = 0 WHERE version = ?", version);

    assertThatThrownBy(
            () ->
                start(
                    with(
                        database,
                        "--spring.datasource.url=" + url,
                        "--spring.flyway.locations=" + String.join(",", migrations))))
        .satisfies(failure -> assertThat(FlowServer.exitCode(failure)).isEmpty());

    assertThat(onlyError(output))
        .contains("migration " + version + " failed at an earlier start", remedy);
  }

  @Test
  void aSettingOfTheSessionThatTheDatabaseRefusesIsOneSentence(CapturedOutput output) {
    assertThatThrownBy(() -> start(withDatabase("--flow.database.session=sql_mode='NO_SUCH'")))
        .isNotNull();

    assertThat(onlyError(output))
        .contains("refuses what the server sets in its sessions", "sql_mode");
  }

  @Test
  void aSettingOfTheSessionThatTheDatabaseChangesIsOneSentence(CapturedOutput output) {
    assertThatThrownBy(() -> start(withDatabase("--flow.database.session=sql_mode='ANSI'")))
        .isNotNull();

    assertThat(onlyError(output))
        .contains("does not take what the server sets in its sessions (sql_mode stays 'REAL_AS_");
  }

  private static JdbcTemplate migrated(
      DatabaseEndpoint database, String url, String... migrations) {
    DataSource schema = new DriverManagerDataSource(url, database.user(), database.password());
    FluentConfiguration flyway = Flyway.configure().dataSource(schema);
    if (migrations.length > 0) {
      flyway.locations(migrations);
    }
    flyway.load().migrate();
    return new JdbcTemplate(schema);
  }

  @Test
  void takenPortIsOneSentence(CapturedOutput output) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();

      assertThatThrownBy(() -> start(withDatabase("--server.port=" + port))).isNotNull();

      assertThat(onlyError(output)).contains("port " + port + " is taken").contains("FLOW_PORT");
    }
  }

  @Test
  void addressOfAnotherMachineIsOneSentence(CapturedOutput output) {
    assertThatThrownBy(
            () -> start(withDatabase("--FLOW_ADDRESS=192.0.2.1", "--FLOW_API_KEY=" + KEY)))
        .isNotNull();

    assertThat(onlyError(output)).contains("192.0.2.1").contains("FLOW_ADDRESS");
  }

  @Test
  void openAddressWithoutAKeyIsOneSentence(CapturedOutput output) {
    assertThatThrownBy(() -> start(withDatabase("--flow.access.address=0.0.0.0"))).isNotNull();

    assertThat(onlyError(output)).contains("FLOW_ADDRESS 0.0.0.0").contains("FLOW_API_KEY");
  }

  @Test
  void withAKeyEveryRouteButHealthAsksForIt(CapturedOutput output) {
    try (ConfigurableApplicationContext server =
        start(withDatabase("--flow.access.api-key=" + KEY, "--server.port=0"))) {
      Wire wire = wireTo(server);

      Wire.Answer refused = wire.get("/api/task_schedule_cfg/list");
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.code()).isEqualTo(8070);
      assertThat(refused.body().path("traceId").asString()).matches("[0-9a-f]{32}");
      assertThat(refused.header("WWW-Authenticate")).isEqualTo("Bearer");
      assertThat(wire.get("/v3/api-docs").status()).isEqualTo(401);
      assertThat(wire.get("/nowhere").status()).isEqualTo(401);
      assertThat(wire.get("/actuator/metrics").status()).isEqualTo(401);
      assertThat(wire.get("/actuator/health/readiness").status()).isEqualTo(200);
      assertThat(withKey(wire, "/api/task_schedule_cfg/list").status()).isEqualTo(200);
      assertThat(withKey(wire, "/v3/api-docs").status()).isEqualTo(404);
      assertThat(withKey(wire, "/swagger-ui/index.html").status()).isEqualTo(404);
    }
    assertThat(output).doesNotContain("generated security password");
    assertThat(output.getAll().split("other machines reach this server without TLS", -1))
        .as("said once")
        .hasSize(2);
  }

  private static Wire.Answer withKey(Wire wire, String path) {
    return wire.send(wire.request(path).header("Authorization", "Bearer " + KEY).GET());
  }

  @Test
  void serverStartsAndWorksAlthoughRedisIsDead(CapturedOutput output) throws Exception {
    int closed = closedPort();
    try (ConfigurableApplicationContext server =
        start(withDatabase("--server.port=0", "--flow.redis.url=redis://127.0.0.1:" + closed))) {
      Wire wire = wireTo(server);
      wire.post("/api/task_schedule_cfg/save", "{'task_type':'alone'}");
      for (int i = 0; i < 10; i++) {
        wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'alone','taskStage':'s'}}");
      }
      Wire.Answer held = wire.get("/api/task/hold_task?taskType=alone&workerId=w&waitMs=1000");

      assertThat(held.result().path("taskList").size()).isEqualTo(10);
      assertThat(wire.get("/actuator/health/readiness").status()).isEqualTo(200);
      await().until(() -> output.getOut().contains("redis-subscribe failed"));
      assertThat(errors(output)).isEmpty();
    }
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplication(FlowServer.class).run(arguments);
  }

  private static String[] withDatabase(String... arguments) {
    return with(TestServices.database(), arguments);
  }

  /** In a schema of its own, unless the arguments name one. */
  private static String[] with(DatabaseEndpoint database, String... arguments) {
    List<String> all = new ArrayList<>();
    all.add("--spring.datasource.username=" + database.user());
    all.add("--spring.datasource.password=" + database.password());
    if (Stream.of(arguments).noneMatch(argument -> argument.contains("datasource.url"))) {
      all.add("--spring.datasource.url=" + database.jdbcUrl(TestServices.newSchema("startup")));
    }
    all.addAll(List.of(arguments));
    return all.toArray(String[]::new);
  }

  private static Wire wireTo(ConfigurableApplicationContext server) {
    return new Wire(
        server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static List<String> errors(CapturedOutput output) {
    return output
        .getAll()
        .lines()
        .filter(line -> line.contains(" ERROR ") || line.startsWith("\tat "))
        .toList();
  }

  /** The only error, which is the sentence that says why the server does not start. */
  private static String onlyError(CapturedOutput output) {
    List<String> errors = errors(output);
    assertThat(errors).hasSize(1);
    assertThat(errors.get(0)).contains("flowsvr does not start: ");
    assertThat(output).doesNotContain("Error starting ApplicationContext");
    return errors.get(0);
  }
}
