package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.DatabaseEndpoint;
import io.asyncflow.dev.TestEngines;
import io.asyncflow.flowsvr.wire.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** What never gets into the log: secrets, and lines that somebody else has written. */
@ExtendWith(OutputCaptureExtension.class)
class LogIT {

  private static final String PASSWORD = "pA55w0rdOfTheDatabase";
  private static final String REDIS_PASSWORD = "pA55w0rdOfRedis";
  private static final String KEY = "kEy0fTh1sServerAndN0Other";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//%s:%d/%s?",
        "//(host=%s,port=%d,useSSL=false)/%s?",
        "//address=(host=%s)(port=%d)/%s?",
        "//logit@%s:%d/%s?passwordCharacterEncoding=UTF-8&"
      })
  void noPasswordAndNoKeyIsLoggedAtTrace(String form, CapturedOutput output) throws Exception {
    DatabaseEndpoint database = withAPassword();
    String url =
        "jdbc:mysql:"
            + form.formatted(database.host(), database.port(), TestEngines.newSchema("log"))
            + "useInformationSchema=false&allowPublicKeyRetrieval=true&sslMode=DISABLED";

    try (ConfigurableApplicationContext server =
        start(
            "--logging.level.root=TRACE",
            "--server.port=0",
            "--spring.datasource.url=" + url,
            "--spring.datasource.username=" + database.user(),
            "--FLOW_MYSQL_PASSWORD_FILE=" + secretFile("password", PASSWORD),
            "--FLOW_API_KEY_FILE=" + secretFile("key", KEY),
            "--FLOW_REDIS_URL_FILE="
                + secretFile("redis", "redis://:" + REDIS_PASSWORD + "@127.0.0.1:" + redisPort()),
            "--flow.store.dir=" + directory)) {
      Wire wire = wireTo(server);
      assertThat(
              wire.send(
                      wire.request("/api/task_schedule_cfg/list")
                          .header("Authorization", "Bearer " + KEY)
                          .GET())
                  .status())
          .isEqualTo(200);
      assertThat(wire.get("/api/task_schedule_cfg/list").status()).isEqualTo(401);
      assertThat(wire.get("/actuator/health").status()).isPositive(); // asks Redis
    }

    assertThat(output.getAll()).contains(" TRACE ").contains(" DEBUG ");
    for (String secret : List.of(PASSWORD, REDIS_PASSWORD, KEY)) {
      assertThat(output.getAll().lines().filter(line -> line.contains(secret)))
          .as("lines with %s", secret)
          .isEmpty();
    }
  }

  private static int redisPort() {
    return TestEngines.redis().port();
  }

  private String secretFile(String name, String secret) throws Exception {
    return Files.writeString(directory.resolve(name), secret + "\n").toString();
  }

  private static DatabaseEndpoint withAPassword() throws SQLException {
    DatabaseEndpoint database = TestEngines.database();
    try (Connection connection = database.connect("log");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE USER IF NOT EXISTS 'logit'@'%' IDENTIFIED BY '" + PASSWORD + "'");
      statement.execute("GRANT ALL ON *.* TO 'logit'@'%'");
    }
    return new DatabaseEndpoint("log", database.host(), database.port(), "logit", PASSWORD);
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplication(FlowServer.class).run(arguments);
  }

  private static Wire wireTo(ConfigurableApplicationContext server) {
    return new Wire(
        server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
  }
}
