package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.Relay;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.server.PathContainer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The row 8090 of the error table: what every call answers while the database is dead, frozen, or
 * out of connections, and that nobody has to restart anything afterwards.
 */
@Tag("faults")
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class DatabaseFaultsIT {

  /** What people look at, over connections of its own. */
  private static final Set<String> READS =
      Set.of(
          "/api/task/search",
          "/api/task/running",
          "/api/task/why",
          "/api/task/history",
          "/api/job/getJobMap");

  /** Read no row; refused once the server knows that the database is away. */
  private static final Set<String> WITHOUT_ROWS = Set.of("/api/key/me", "/api/store/usage");

  /** Three times what is promised, on a busy machine. */
  private static final Duration PROMPT = Duration.ofSeconds(9);

  private static final Duration BACK = Duration.ofSeconds(30);
  private static final int THREADS = 200;
  private static final int MORE_THAN_THREADS = 250;

  @TempDir static Path directory;
  private static EmbeddedMariaDb database;
  private static Relay network;
  private static ConfigurableApplicationContext server;
  private static Wire wire;
  private String id;

  @BeforeAll
  static void startServer() {
    database = EmbeddedMariaDb.start(directory.resolve("db"), 0);
    DatabaseEndpoint itself = database.endpoint();
    network = Relay.to(itself.port());
    DatabaseEndpoint far =
        new DatabaseEndpoint(
            "far", itself.host(), network.port(), itself.user(), itself.password());
    server =
        new SpringApplication(FlowServer.class)
            .run(
                "--server.port=0",
                "--server.tomcat.threads.max=" + THREADS,
                "--flow.hooks.allow=hooks.example.com",
                "--flow.hooks.deliver=false",
                "--spring.datasource.url=" + far.jdbcUrl("faults"),
                "--spring.datasource.username=" + far.user(),
                "--spring.datasource.password=" + far.password());
    wire =
        new Wire(server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'down'}");
  }

  @AfterAll
  static void stopServer() {
    server.close();
    network.close();
    database.close();
  }

  @BeforeEach
  void aTask() {
    id = create().result().path("taskId").asString();
  }

  @AfterEach
  void everythingWorksAgainByItself() {
    network.thaw();
    if (!database.isRunning()) {
      database.restart();
    }
    long begin = System.nanoTime();
    await().atMost(BACK).until(() -> create().status() == 200);
    System.out.printf(Locale.ROOT, "creates work again after %d ms%n", msSince(begin));
    await().atMost(BACK).until(() -> status("/actuator/health/readiness") == 200);
    await()
        .atMost(BACK)
        .until(() -> calls().stream().allMatch(call -> call.answer().status() < 500));
  }

  private record Call(String method, String path, String parameters) {

    Answer answer() {
      return switch (method) {
        case "GET" -> wire.get(path + "?" + parameters);
        case "PUT" ->
            wire.send(wire.request(path + "?" + parameters).PUT(BodyPublishers.ofString("object")));
        default -> wire.post(path, parameters.isEmpty() ? "{}" : parameters);
      };
    }
  }

  private record Timed(Call call, Answer answer, long ms) {}

  private static final String SCHEDULE =
      "{'name':'down','everyMs':60000,"
          + "'taskData':{'userId':'u','taskType':'down','taskStage':'s'}}";

  private List<Call> calls() {
    String task = "{'userId':'u','taskType':'down','taskStage':'s','taskContext':''}";
    String keyed = task.replace("}", ",'idempotencyKey':'k'}");
    String report = "{'taskId':'" + id + "','workerId':'w','leaseEpoch':9,'outcome':'FAIL'}";
    return List.of(
        new Call("GET", "/api/task_schedule_cfg/list", ""),
        new Call("POST", "/api/task_schedule_cfg/save", "{'task_type':'down'}"),
        new Call("GET", "/api/task_schedule_cfg/tables", "taskType=down"),
        new Call("POST", "/api/task_schedule_cfg/roll", "{'taskType':'unknown'}"),
        new Call(
            "POST",
            "/api/task_schedule_cfg/clean",
            "{'taskType':'unknown','table':'t_unknown_task_1'}"),
        new Call("POST", "/api/task/createTask", "{'taskData':" + task + "}"),
        new Call("POST", "/api/task/createTask", "{'taskData':" + keyed + "}"),
        new Call("POST", "/api/task/createTasks", "{'taskDataList':[" + task + "," + task + "]}"),
        new Call("GET", "/api/task/getTask", "taskId=" + id),
        new Call("GET", "/api/task/getTaskList", "taskType=down&status=1"),
        new Call("GET", "/api/task/getUserTaskList", "userId=u"),
        new Call("GET", "/api/task/hold_task", "taskType=down&stages=none"),
        new Call("GET", "/api/task/hold_task", "taskType=down&stages=none&waitMs=50&workerId=w"),
        new Call("GET", "/api/task/hold_task", "taskType=down&stages=none&workerId=w&holdId=h"),
        new Call("GET", "/api/task/hold_task", "taskType=unknown"),
        new Call("POST", "/api/task/set_task", report),
        new Call("POST", "/api/task/set_task", "{'taskId':'" + id + "','userId':'u'}"),
        new Call("POST", "/api/task/set_tasks", "{'reports':[" + report + "]}"),
        new Call("POST", "/api/task/cancel", "{'taskId':'1_down_task_1'}"),
        new Call("POST", "/api/task/retry", "{'taskId':'1_down_task_1'}"),
        new Call(
            "POST", "/api/task/setStatus", "{'taskId':'1_down_task_1','status':8,'reason':'why'}"),
        new Call("POST", "/api/task/setWorkers", "{'taskId':'1_down_task_1','workerIds':['w']}"),
        new Call("POST", "/api/task/restart", "{'taskId':'1_down_task_1'}"),
        new Call("POST", "/api/task/pause", "{'taskId':'1_down_task_1'}"),
        new Call("POST", "/api/task/resume", "{'taskId':'1_down_task_1'}"),
        new Call("GET", "/api/task/getActs", "taskId=" + id),
        new Call("GET", "/api/task/search", "taskId=" + id),
        new Call("GET", "/api/task/running", "taskType=down"),
        new Call("GET", "/api/task/why", "taskId=" + id),
        new Call("GET", "/api/task/history", "taskId=" + id),
        new Call("POST", "/api/task/runNow", "{'taskId':'1_down_task_1'}"),
        new Call("POST", "/api/task/reschedule", "{'taskId':'1_down_task_1','priority':1}"),
        new Call("POST", "/api/task/clone", "{'taskId':'1_down_task_1'}"),
        new Call(
            "POST",
            "/api/task/expireLease",
            "{'taskId':'1_down_task_1','leaseEpoch':1,'reason':'why'}"),
        new Call(
            "POST",
            "/api/bulk/preview",
            "{'act':'CANCEL','filter':{'taskType':'down','status':'1'}}"),
        new Call(
            "POST",
            "/api/bulk/start",
            "{'token':'1-aaaaaaaaaaaaaaaaaaaaaa','count':1,'reason':'why'}"),
        new Call("GET", "/api/bulk/get", "bulkId=1"),
        new Call("GET", "/api/bulk/list", ""),
        new Call("POST", "/api/bulk/stop", "{'bulkId':'1'}"),
        new Call("POST", "/api/bulk/resume", "{'bulkId':'1'}"),
        new Call("GET", "/api/job/getJobMap", "jobId=1"),
        new Call("GET", "/api/store/list", "taskId=" + id),
        new Call("GET", "/api/store/usage", ""),
        new Call("POST", "/api/pause/set", "{'kind':'WORKER','name':'nobody'}"),
        new Call("POST", "/api/pause/clear", "{'kind':'WORKER','name':'nobody'}"),
        new Call("GET", "/api/pause/list", ""),
        new Call(
            "POST",
            "/api/worker/heartbeat",
            "{'workerId':'w','tasks':[{'taskId':'" + id + "','leaseEpoch':9}]}"),
        new Call("POST", "/api/job/createJob", "{'jobData':{'userId':'u','jobType':'down'}}"),
        new Call(
            "POST",
            "/api/job/addChildren",
            "{'taskId':'"
                + id
                + "','workerId':'w','leaseEpoch':9,'first':0,'children':[{'taskStage':'s'}]}"),
        new Call("GET", "/api/job/getJob", "jobId=1"),
        new Call("GET", "/api/job/getJobList", "userId=u"),
        new Call("GET", "/api/job/getJobTasks", "jobId=1"),
        new Call("GET", "/api/job/getJobInput", "jobId=1"),
        new Call("GET", "/api/job/progress", "jobId=1"),
        new Call("GET", "/api/event/stream", "cursor=1"), // refused, as one that begins never ends
        new Call("GET", "/api/event/list", ""),
        new Call(
            "POST", "/api/hook/save", "{'name':'down','url':'https://hooks.example.com/down'}"),
        new Call("GET", "/api/hook/list", ""),
        new Call("POST", "/api/hook/test", "{'name':'down'}"),
        new Call("POST", "/api/hook/rotate", "{'hookId':'1'}"),
        new Call("POST", "/api/hook/delete", "{'hookId':'1'}"),
        new Call("POST", "/api/key/create", "{'name':'down','roles':['READER']}"),
        new Call("POST", "/api/key/rotate", "{'keyId':'0123456789'}"),
        new Call("POST", "/api/key/revoke", "{'keyId':'0123456789'}"),
        new Call("POST", "/api/key/deny", "{'principal':'oidc:https://issuer.example#ann'}"),
        new Call("POST", "/api/session", ""),
        new Call("POST", "/api/session/end", ""),
        new Call("GET", "/api/key/list", ""),
        new Call("GET", "/api/key/denied", ""),
        new Call("GET", "/api/key/me", ""),
        new Call("POST", "/api/audit/list", "{}"),
        new Call("GET", "/api/stats/overview", ""),
        new Call("GET", "/api/stats/stages", "taskType=down"),
        new Call("GET", "/api/stats/series", "taskType=down"),
        new Call("GET", "/api/stats/failures", ""),
        new Call("GET", "/api/meta", ""),
        new Call("POST", "/api/job/cancel", "{'jobId':'1'}"),
        new Call("POST", "/api/job/retry", "{'jobId':'1'}"),
        new Call("POST", "/api/job/pause", "{'jobId':'1'}"),
        new Call("POST", "/api/job/resume", "{'jobId':'1'}"),
        new Call("POST", "/api/schedule/save", "{'scheduleData':" + SCHEDULE + "}"),
        new Call("POST", "/api/schedule/saveAll", "{'scheduleDataList':[" + SCHEDULE + "]}"),
        new Call("GET", "/api/schedule/get", "scheduleId=1"),
        new Call("GET", "/api/schedule/list", ""),
        new Call("GET", "/api/schedule/fires", "scheduleId=1"),
        new Call("GET", "/api/schedule/preview", "everyMs=60000"),
        new Call("POST", "/api/schedule/pause", "{'scheduleId':'1'}"),
        new Call("POST", "/api/schedule/resume", "{'scheduleId':'1'}"),
        new Call("POST", "/api/schedule/delete", "{'scheduleId':'1'}"),
        new Call("POST", "/api/schedule/trigger", "{'scheduleId':'1'}"),
        new Call(
            "POST",
            "/api/schedule/backfill",
            "{'scheduleId':'1','from':1700000000000,'to':1700000001000}"),
        new Call("GET", "/api/schedule/slices", ""),
        new Call("PUT", "/api/store/" + id + "/s/9/name", "workerId=w"),
        new Call("GET", "/api/worker/list", ""),
        new Call("GET", "/api/worker/get", "workerId=w"),
        new Call("POST", "/api/worker/drain", "{'workerId':'w'}"),
        new Call("GET", "/api/governance/status", ""));
  }

  private static Answer create() {
    return wire.post(
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'down','taskStage':'s','taskContext':''}}");
  }

  private static int status(String path) {
    return wire.get(path).status();
  }

  private static long msSince(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }

  private static Timed time(Call call) {
    long begin = System.nanoTime();
    Answer answer = call.answer();
    return new Timed(call, answer, msSince(begin));
  }

  /** Two of these read at once; a moment later the others are told to come again. */
  private static boolean isTurnedAway(Timed timed) {
    return READS.contains(timed.call().path())
        && timed.answer().status() == 429
        && timed.ms() < PROMPT.toMillis();
  }

  private static void assertUnavailable(Timed timed) {
    if (isTurnedAway(timed)) {
      return;
    }
    Answer answer = timed.answer();
    if (WITHOUT_ROWS.contains(timed.call().path()) && answer.status() == 200) {
      return;
    }
    if (timed.call().path().startsWith("/api/session") && answer.status() == 409) {
      return; // this server asks for no key, so it has no sessions
    }
    assertThat(answer.status()).as(timed.call() + " " + answer.body()).isEqualTo(503);
    assertThat(answer.code()).as(timed.call().path()).isEqualTo(8090);
    assertThat(answer.body().path("retryable").asBoolean()).isTrue();
    assertThat(answer.header("Retry-After")).isEqualTo("1");
    assertThat(answer.body().path("traceId").asString()).matches("[0-9a-f]{32}");
    assertThat(timed.ms()).as(timed.call().path()).isLessThan(PROMPT.toMillis());
  }

  /**
   * Types are remembered for a second, and for longer while somebody else tries to read them; that
   * nothing is due, for a second; what runs, for all that look at it.
   */
  private static boolean isAnsweredFromMemory(Timed timed) {
    String path = timed.call().path();
    boolean mayBe =
        path.equals("/api/task_schedule_cfg/list")
            || path.equals("/api/task/running")
            || path.startsWith("/api/stats/")
            || timed.call().parameters().contains("waitMs");
    return mayBe && timed.answer().status() == 200;
  }

  private static boolean isNumber(Call call) {
    return call.path().startsWith("/api/stats/") || call.path().equals("/api/meta");
  }

  private static boolean hasConnectionsOfItsOwn(Call call) {
    return isNumber(call) || READS.contains(call.path());
  }

  /** Numbers have two connections, and others may be waiting for the database on them. */
  private static boolean isRefusedForItsTurn(Timed timed) {
    return isNumber(timed.call()) && timed.answer().status() == 429;
  }

  private static void print(String what, List<Timed> answers) {
    System.out.printf(
        Locale.ROOT,
        "%s: %d answers, the slowest after %d ms%n",
        what,
        answers.size(),
        answers.stream().mapToLong(Timed::ms).max().orElse(0));
  }

  /** Each call that is on its way when it happens, and each one that comes later. */
  private void assertEveryCallIsRefusedInTime(String fault) {
    List<Call> calls = calls();
    List<Timed> first = AtOnce.from(calls.size(), i -> time(calls.get(i)));
    print(fault + ", at once", first);
    first.stream()
        .filter(timed -> !isAnsweredFromMemory(timed) && !isRefusedForItsTurn(timed))
        .forEach(DatabaseFaultsIT::assertUnavailable);

    await().atMost(PROMPT).until(() -> status("/actuator/health/readiness") == 503);
    assertThat(status("/actuator/health/liveness")).isEqualTo(200);
    List<Timed> later = calls.stream().map(DatabaseFaultsIT::time).toList();
    print(fault + ", later", later);
    later.forEach(DatabaseFaultsIT::assertUnavailable);
  }

  @Test
  void noEndpointIsForgottenHere() {
    List<PathContainer> asked =
        calls().stream().map(call -> PathContainer.parsePath(call.path())).toList();
    server
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .keySet()
        .forEach(
            mapping -> {
              Set<PathPattern> spellings = mapping.getPathPatternsCondition().getPatterns();
              if (mapping.getPatternValues().stream().anyMatch(path -> path.startsWith("/api/"))) {
                assertThat(asked)
                    .as(spellings.toString())
                    .anyMatch(path -> spellings.stream().anyMatch(known -> known.matches(path)));
              }
            });
  }

  @Test
  void deadDatabase(CapturedOutput output) {
    database.kill();
    assertEveryCallIsRefusedInTime("dead");
    database.restart();
    await().until(() -> output.getOut().contains("the database answers again"));
    assertThat(output.getOut().lines().filter(line -> line.contains("does not answer: requests")))
        .as("said once")
        .hasSize(1);
    assertThat(output.getOut()).doesNotContain(" ERROR ", "marked as broken", "maxLifetime");
  }

  @Test
  void frozenDatabase(CapturedOutput output) {
    network.freeze();
    assertEveryCallIsRefusedInTime("frozen");
    network.thaw();
    await().atMost(BACK).until(() -> output.getOut().contains("the database answers again"));
    assertThat(output.getOut()).doesNotContain(" ERROR ", "marked as broken", "maxLifetime");
  }

  @Test
  void frozenDatabaseTakesNoMoreThanItsShareOfThreads() {
    Call read = new Call("GET", "/api/task/getTask", "taskId=" + id);
    network.freeze();

    List<Timed> answers =
        AtOnce.from(
            MORE_THAN_THREADS + 1,
            i -> time(i == 0 ? new Call("GET", "/actuator/health/liveness", "") : read));

    network.thaw();
    assertThat(answers.get(0).answer().status()).isEqualTo(200);
    List<Timed> refused = answers.subList(1, answers.size());
    print("frozen, more clients than threads", refused);
    refused.stream()
        .filter(timed -> timed.answer().code() != 8080) // past their share of threads
        .forEach(DatabaseFaultsIT::assertUnavailable);
  }

  @Test
  void connectionsThatTheNetworkHasForgotten() {
    network.forgetConnections();

    List<Timed> answers = AtOnce.from(40, i -> time(calls().get(i % calls().size())));

    print("forgotten connections", answers);
    assertThat(answers).allMatch(timed -> timed.ms() < PROMPT.toMillis());
    answers.stream()
        .filter(timed -> timed.answer().status() >= 500)
        .forEach(DatabaseFaultsIT::assertUnavailable);
  }

  @Test
  void serverWithAnExhaustedPoolIsNotReadyAndHeartbeatsGoOn() throws SQLException {
    Answer held = wire.get("/api/task/hold_task?taskType=down&workerId=busy&limit=1");
    String task = held.result().at("/taskList/0/taskId").asString();
    int epoch = held.result().at("/taskList/0/leaseEpoch").asInt();
    List<Connection> taken = takeAllConnections();

    List<Call> calls =
        calls().stream()
            .filter(call -> !call.path().endsWith("/heartbeat"))
            .filter(call -> !hasConnectionsOfItsOwn(call))
            .toList();
    List<Timed> answers = AtOnce.from(calls.size(), i -> time(calls.get(i)));
    print("exhausted pool", answers);
    for (int i = 0; i < 20; i++) {
      Answer beat =
          wire.post(
              "/api/worker/heartbeat",
              "{'workerId':'busy','tasks':[{'taskId':'" + task + "','leaseEpoch':" + epoch + "}]}");
      assertThat(beat.result().at("/tasks/0/state").asString("")).isEqualTo("EXTENDED");
    }
    await().atMost(BACK).until(() -> status("/actuator/health/readiness") == 503);
    assertThat(status("/actuator/health/liveness")).isEqualTo(200);
    for (Connection connection : taken) {
      connection.close();
    }

    answers.stream()
        .filter(timed -> !isAnsweredFromMemory(timed))
        .forEach(DatabaseFaultsIT::assertUnavailable);
  }

  private static List<Connection> takeAllConnections() throws SQLException {
    HikariDataSource pool = server.getBean(HikariDataSource.class);
    List<Connection> taken = new ArrayList<>();
    while (taken.size() < pool.getMaximumPoolSize()) {
      taken.add(pool.getConnection());
    }
    return taken;
  }
}
