package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.edge.access.FakeIssuer;
import io.asyncflow.flowsvr.wire.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What never gets into the log: secrets, and lines that somebody else has written. */
@ExtendWith(OutputCaptureExtension.class)
class LogIT {

  private static final String PASSWORD = "pA55w0rdOfTheDatabase";
  private static final String REDIS_PASSWORD = "pA55w0rdOfRedis";
  private static final String KEY = "kEy0fTh1sServerAndN0Other";
  private static final String PEPPER = "pEpperThatNoDatabaseKnows";
  private static final String CONTEXT = "c0ntextOfATask";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String FORGED = "2026-11-22T03:00:00.000Z ERROR 1 --- forged line";
  private static final List<String> CONTROLS =
      List.of(
          "\n", "\r\n", "\r", "\u001b[2J", "\u0085", "\u2028", "\u2029", "\b", "\u007f", "\u009b");

  private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

  @TempDir Path directory;

  /** In a process of its own: what it sets of the log would stay for the tests after this one. */
  @Tag("faults")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "//(host=%s,port=%s,useSSL=false)/%s?",
        "//logit@%s:%s/%s?passwordCharacterEncoding=UTF-8&"
      })
  void noSecretAndNoLineOfAClientIsLoggedAtTrace(String form) throws Exception {
    DatabaseEndpoint database = withAPassword();
    String url =
        "jdbc:mysql:"
            + form.formatted(database.host(), database.port(), TestServices.newSchema("log"))
            + "useInformationSchema=false&allowPublicKeyRetrieval=true&sslMode=DISABLED";
    Path console = directory.resolve("console");
    Path file = directory.resolve("log");

    List<String> secrets =
        new ArrayList<>(List.of(PASSWORD, REDIS_PASSWORD, KEY, PEPPER, FakeIssuer.SECRET, CONTEXT));
    FakeIssuer issuer = new FakeIssuer();
    Process server =
        startProcess(
            console,
            "--logging.level.root=TRACE",
            "--logging.file.name=" + file,
            "--server.port=0",
            "--spring.datasource.url=" + url,
            "--spring.datasource.username=" + database.user(),
            "--FLOW_MYSQL_PASSWORD_FILE=" + secretFile("password", PASSWORD),
            "--flow.access.mode=keys",
            "--flow.access.address=127.0.0.1",
            "--server.address=127.0.0.1",
            "--FLOW_API_KEY_FILE=" + secretFile("key", KEY),
            "--FLOW_KEY_PEPPER_FILE=" + secretFile("pepper", PEPPER),
            "--flow.oidc.issuer=" + issuer.url(),
            "--flow.oidc.audience=" + FakeIssuer.AUDIENCE,
            "--flow.oidc.client-id=" + FakeIssuer.CLIENT,
            "--FLOW_OIDC_CLIENT_SECRET_FILE=" + secretFile("client", FakeIssuer.SECRET),
            "--flow.oidc.redirect-uri=http://localhost/console/login/issuer/return",
            "--FLOW_REDIS_URL_FILE="
                + secretFile("redis", "redis://:" + REDIS_PASSWORD + "@127.0.0.1:" + redisPort()),
            "--flow.store.dir=" + directory);
    try {
      Wire wire = new Wire(portOf(server, console));
      assertThat(withKey(wire, "{}").status()).isEqualTo(400);
      assertThat(withKey(wire, "{\"a\\n" + FORGED + "\":1}").status()).isEqualTo(400);
      runATask(wire);
      secrets.add(useASession(wire));
      secrets.addAll(useAKey(wire));
      secrets.addAll(logInAt(issuer, wire));
      assertThat(wire.get("/api/task_schedule_cfg/list").status()).isEqualTo(401);
      assertThat(wire.get("/actuator/health").status()).isPositive(); // asks Redis
    } finally {
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
      issuer.close();
    }

    for (Path log : List.of(console, file)) {
      String logged = Files.readString(log);
      assertThat(List.of(" TRACE ", " DEBUG ", FORGED)).allMatch(logged::contains);
      assertThat(logged.lines().filter(line -> line.startsWith(FORGED))).isEmpty();
      for (String secret : secrets) {
        assertThat(logged.lines().filter(line -> line.contains(secret)))
            .as("lines with %s", secret)
            .isEmpty();
      }
    }
  }

  /** Returns its id. */
  private static String useASession(Wire wire) {
    String cookie = cookieOf(ok(call(wire, "/api/session", "{}")).http());
    for (String beside : List.of("", "; bad=\"x")) {
      wire.send(wire.request("/api/key/me").header("Cookie", cookie + beside).GET());
    }
    return valueOf(cookie);
  }

  /** Makes one and rotates it; returns both, without their public part. */
  private static List<String> useAKey(Wire wire) {
    Wire.Answer made =
        ok(
            call(
                wire,
                "/api/key/create",
                "{'name':'logged','roles':['READER'],'types':['logged']}"));
    String key = made.result().path("key").asString();
    ok(wire.send(wire.request("/api/key/me").header("Authorization", "Bearer " + key).GET()));
    String rotate = "{'keyId':'" + made.result().path("keyId").asString() + "'}";
    String next = ok(call(wire, "/api/key/rotate", rotate)).result().path("key").asString();
    return Stream.of(key, next).map(text -> text.substring(text.lastIndexOf('_') + 1)).toList();
  }

  /** Returns what only the browser, the server and the issuer know of it. */
  private static List<String> logInAt(FakeIssuer issuer, Wire wire) throws Exception {
    HttpResponse<String> begun = open(wire, "/console/login/issuer", "");
    String pending = cookieOf(begun);
    URI page = URI.create(begun.headers().firstValue("Location").orElseThrow());
    String code = issuer.logIn(page, issuer.claims("logged", "READER"));
    String state = FakeIssuer.fields(page.getRawQuery()).get("state");
    String back = Wire.form(Map.of("code", code, "state", state, "iss", issuer.url()));
    HttpResponse<String> done = open(wire, "/console/login/issuer/return?" + back, pending);
    assertThat(done.statusCode()).as(done.body()).isEqualTo(303);
    String token = issuer.token(issuer.claims("logged", "READER"));
    ok(wire.send(wire.request("/api/key/me").header("Authorization", "Bearer " + token).GET()));
    return List.of(valueOf(pending), valueOf(cookieOf(done)), code, state, token);
  }

  private static HttpResponse<String> open(Wire wire, String path, String cookie) throws Exception {
    HttpRequest.Builder request = wire.request(path).header("Accept", "text/html");
    return HttpClient.newHttpClient()
        .send(
            (cookie.isEmpty() ? request : request.header("Cookie", cookie)).GET().build(),
            BodyHandlers.ofString());
  }

  /** The one that is set, and not taken back. */
  private static String cookieOf(HttpResponse<String> answer) {
    return answer.headers().allValues("Set-Cookie").stream()
        .filter(cookie -> !cookie.contains("Max-Age=0"))
        .findFirst()
        .orElseThrow()
        .replaceFirst(";.*", "");
  }

  private static String valueOf(String cookie) {
    return cookie.substring(cookie.indexOf('=') + 1);
  }

  /** With a context, a result, a log, the input of a job and an object, in JSON and in a form. */
  private static void runATask(Wire wire) {
    ok(call(wire, "/api/task_schedule_cfg/save", "{'task_type':'logged','events':2}"));
    String task = "{'userId':'u','taskType':'logged','taskStage':'s','taskContext':'%s'}";
    String context = task.formatted(CONTEXT);
    ok(call(wire, "/api/task/createTask", "{'taskData':" + context + "}"));
    ok(call(wire, "/api/task/createTasks", "{'taskDataList':[" + context + "," + context + "]}"));
    Wire.Answer job =
        ok(
            call(
                wire,
                "/api/job/createJob",
                "{'jobData':{'userId':'u','jobType':'logged','jobInput':'[\\'%s\\']'}}"
                    .formatted(CONTEXT)));
    String jobId = job.result().path("jobId").asString();
    ok(wire.send(authorized(wire, "/api/job/getJobInput?jobId=" + jobId).GET()));
    String form =
        Wire.form(
            Map.of(
                "taskData.userId", "u",
                "taskData.taskType", "logged",
                "taskData.taskStage", "s",
                "taskData.taskContext", CONTEXT));
    ok(
        wire.send(
            authorized(wire, "/api/task/createTask")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))));
    assertThat(wire.send(authorized(wire, "/api/task/createTask?" + form).GET()).status())
        .as("in a query that is refused")
        .isEqualTo(405);
    Wire.Answer held =
        ok(call(wire, "/api/task/hold_task", "{'taskType':'logged','workerId':'w','limit':9}"));
    for (JsonNode one : held.result().path("taskList")) {
      String id = one.path("taskId").asString();
      String hold = "'taskId':'%s','workerId':'w','leaseEpoch':1".formatted(id);
      byte[] object = CONTEXT.getBytes(StandardCharsets.UTF_8);
      ok(
          wire.send(
              authorized(wire, "/api/store/" + id + "/" + stageOf(one) + "/1/x?workerId=w")
                  .PUT(BodyPublishers.ofByteArray(object))));
      ok(
          call(
              wire,
              "/api/task/set_task",
              "{%s,'outcome':'SUCCESS','result':'%2$s','scheduleLog':'%2$s'}"
                  .formatted(hold, CONTEXT)));
      ok(wire.send(authorized(wire, "/api/task/getTask?taskId=" + id).GET()));
    }
    assertThat(held.result().path("taskList").size()).isEqualTo(5);
    ok(wire.send(authorized(wire, "/api/task/getTaskList?taskType=logged").GET()));
  }

  private static String stageOf(JsonNode task) {
    return task.path("taskStage").asString();
  }

  private static Wire.Answer ok(Wire.Answer answer) {
    assertThat(answer.status()).as(String.valueOf(answer.body())).isEqualTo(200);
    return answer;
  }

  private static Wire.Answer withKey(Wire wire, String body) {
    return call(wire, "/api/task_schedule_cfg/save", body);
  }

  private static Wire.Answer call(Wire wire, String path, String body) {
    return wire.send(
        authorized(wire, path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.replace('\'', '"'))));
  }

  private static HttpRequest.Builder authorized(Wire wire, String path) {
    return wire.request(path).header("Authorization", "Bearer " + KEY);
  }

  private static Process startProcess(Path console, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FlowServer.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(console.toFile())
        .start();
  }

  private static int portOf(Process server, Path console) {
    // A start that logs all it does takes a while on a busy machine, and reading what it logs makes
    // it no faster.
    return await()
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              String logged = Files.readString(console);
              assertThat(server.isAlive()).as(logged).isTrue();
              Matcher started = STARTED.matcher(logged);
              return logged.contains("Started FlowServer") && started.find()
                  ? Integer.parseInt(started.group(1))
                  : 0;
            },
            port -> port > 0);
  }

  @Test
  void nobodyElseWritesALineOfTheLog(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext server = start(withDatabase("--server.port=0"))) {
      Wire wire = wireTo(server);
      for (String control : CONTROLS) {
        String name = JSON.writeValueAsString("name" + control + FORGED);
        String twice = name + ":1," + name + ":2";
        assertClean(wire.post("/api/task_schedule_cfg/save", "{" + name + ":1}"));
        assertClean(wire.post("/api/task_schedule_cfg/save", "{" + twice + "}"));
        assertClean(wire.post("/api/task/createTask", "{" + twice + "}"));
        String form = "a." + Wire.form(Map.of("name" + control + FORGED, "1")) + "&a=1";
        assertClean(wire.get("/api/task/getTask?" + form));
      }
      Logger log = LoggerFactory.getLogger(LogIT.class);
      for (String control : CONTROLS) {
        IllegalStateException cause = new IllegalStateException("cause" + control + FORGED);
        cause.addSuppressed(new IllegalStateException("suppressed" + control + FORGED));
        log.error(
            "message{}{}", control, FORGED, new RuntimeException("m" + control + FORGED, cause));
      }
      log.info("tabs\tstay, é中😀 too");
    }

    assertThat(output.getAll()).contains("tabs\tstay, é中😀 too").contains(FORGED);
    assertThat(output.getAll().lines())
        .noneMatch(line -> line.startsWith(FORGED))
        .noneMatch(line -> CONTROLS.stream().anyMatch(line::contains))
        .anyMatch(line -> line.startsWith("\tat " + LogIT.class.getName()))
        .anyMatch(line -> line.startsWith("Caused by: java.lang.IllegalStateException: cause"))
        .anyMatch(line -> line.startsWith("\tSuppressed: "));
  }

  private static void assertClean(Wire.Answer refused) {
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.msg()).hasSizeLessThan(500);
    assertThat(CONTROLS).noneMatch(refused.msg()::contains);
    assertThat(refused.badFields()).noneMatch(name -> CONTROLS.stream().anyMatch(name::contains));
  }

  private static String[] withDatabase(String... arguments) {
    DatabaseEndpoint database = TestServices.database();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--spring.datasource.url=" + database.jdbcUrl(TestServices.newSchema("log")));
    all.add("--spring.datasource.username=" + database.user());
    all.add("--spring.datasource.password=" + database.password());
    return all.toArray(String[]::new);
  }

  private static int redisPort() {
    return TestServices.redis().port();
  }

  private String secretFile(String name, String secret) throws Exception {
    Path file = Files.writeString(directory.resolve(name), secret + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file.toString();
  }

  private static DatabaseEndpoint withAPassword() throws SQLException {
    DatabaseEndpoint database = TestServices.database();
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
