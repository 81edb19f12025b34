package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.testing.StageHarness;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs on an executor that answers what the test has written, the last answer for ever. */
@Timeout(60)
class RemoteHandlerTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Of a run of stage "render" in a harness. */
  private static final String ID = StageHarness.run("render").idempotencyKey();

  @TempDir Path directory;
  private final Queue<Reply> script = new ConcurrentLinkedQueue<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final List<String> traceParents = new CopyOnWriteArrayList<>();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  /**
   * @param status 0 to answer nothing
   */
  private record Reply(int status, String body) {}

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::reply);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void stop() {
    hanging.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void reply(HttpExchange exchange) throws IOException {
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath());
    traceParents.add("" + exchange.getRequestHeaders().getFirst("traceparent"));
    Reply reply = script.size() > 1 ? script.remove() : script.peek();
    if (exchange.getRequestMethod().equals("DELETE")) {
      reply = new Reply(204, "");
    }
    if (reply.status() == 0) {
      hang();
    }
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(
        reply.status() == 0 ? 500 : reply.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void hang() {
    try {
      hanging.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answers(int status, String body) {
    script.add(new Reply(status, body));
  }

  private static String result(String json) {
    return "{\"type\":\"result\",\"id\":\"" + ID + "\"," + json + "}";
  }

  private static String error(String kind) {
    return "{\"type\":\"error\",\"id\":\"%s\",\"kind\":\"%s\",\"message\":\"why\"}"
        .formatted(ID, kind);
  }

  private URI url(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  private RemoteHandler.Builder remote() {
    return RemoteHandler.builder(url("")).exploreInterval(Duration.ofMillis(1));
  }

  private StageResult run(RemoteHandler handler) throws Exception {
    return StageHarness.run("render").withContext("{\"scene\":7}").with(handler);
  }

  private void assertDeleted() {
    await().until(() -> requests.get(requests.size() - 1).startsWith("DELETE "));
  }

  @Test
  void resultThatIsThereAtOnceTakesOneRequest() throws Exception {
    answers(200, result("\"result\":{\"frames\":3}"));
    assertThat(run(remote().build())).isEqualTo(StageResult.done("{\"frames\":3}"));
    assertThat(requests).containsExactly("POST /runs/" + ID.replace(":", "%3A"));
    JsonNode posted = JSON.readTree(bodies.get(0));
    assertThat(posted.fieldNames())
        .toIterable()
        .containsExactly("id", "taskId", "taskType", "stage", "attempt", "context", "remainingMs");
    assertThat(posted.path("id").asText()).isEqualTo(ID);
    assertThat(posted.path("context").asText()).isEqualTo("{\"scene\":7}");
  }

  @Test
  void answersArriveWhereOtherHandlersBlockTheCommonPool() throws Exception {
    Executor pool = new CompletableFuture<>().defaultExecutor();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors() + 1; i++) {
      pool.execute(this::hang);
    }
    answers(200, result("\"result\":1"));
    assertThat(run(remote().build())).isEqualTo(StageResult.done("1"));
    assertThat(requests).hasSize(1);
  }

  @Test
  void traceGoesWithTheRunAndItsRequests() throws Exception {
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    answers(202, "");
    answers(200, result("\"result\":1"));
    StageHarness.run("render").inTrace(trace).with(remote().build());
    assertThat(requests).hasSize(2);
    assertThat(traceParents).containsExactly(trace, trace);
    assertThat(JSON.readTree(bodies.get(0)).path("traceParent").asText()).isEqualTo(trace);
  }

  @Test
  void runIsAskedForUntilItHasEndedAndShowsItsProgress() throws Exception {
    answers(202, "");
    answers(202, "{\"type\":\"progress\",\"id\":\"" + ID + "\",\"percent\":40}");
    answers(202, "no json");
    answers(202, "{\"type\":\"progress\",\"id\":\"" + ID + "\",\"percent\":400}");
    answers(200, result("\"nextStage\":\"upload\",\"context\":\"c\""));
    StageHarness harness = StageHarness.run("render");
    assertThat(harness.with(remote().build())).isEqualTo(StageResult.next("upload", "c"));
    assertThat(harness.progress()).containsExactly(40, 100);
    assertThat(requests).hasSize(5);
    assertThat(requests.get(0)).startsWith("POST ");
    assertThat(requests.subList(1, 5)).allMatch(request -> request.startsWith("GET "));
  }

  @Test
  void requestsThatFailAreRepeatedUnderTheSameKey() throws Exception {
    answers(503, "busy");
    answers(429, "");
    answers(202, "");
    for (int i = 0; i < 4; i++) {
      answers(500, "oops");
    }
    answers(202, "");
    answers(502, "");
    answers(200, result("\"result\":\"x\""));
    assertThat(run(remote().build())).isEqualTo(StageResult.done("x"));
    assertThat(requests.subList(0, 3)).allMatch(request -> request.startsWith("POST "));
    assertThat(requests.subList(3, 10)).allMatch(request -> request.startsWith("GET "));
  }

  @Test
  void fiveFailuresInARowEndTheRunForARetry() {
    answers(202, "");
    answers(500, "oops");
    assertThatThrownBy(() -> run(remote().build()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("failed 5 times in a row: status 500 'oops'");
    assertDeleted();
    assertThat(requests).hasSize(7);
  }

  @Test
  void executorThatIsAwayIsAFailedAttempt() {
    server.stop(0);
    assertThatThrownBy(() -> run(remote().build()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("failed 5 times in a row");
  }

  @Test
  void runThatTheExecutorHasLostIsBegunAgain() throws Exception {
    answers(202, "");
    answers(404, "");
    answers(200, result("\"result\":null"));
    assertThat(run(remote().build())).isEqualTo(StageResult.done());
    assertThat(requests).hasSize(3);
    assertThat(requests.get(2)).isEqualTo(requests.get(0)).startsWith("POST ");
  }

  @Test
  void localRetryIsANewRunAtTheExecutor() throws Exception {
    answers(200, error("retryable"));
    assertThatThrownBy(() -> run(remote().build())).isInstanceOf(EngineException.class);
    script.clear();
    answers(200, result("\"result\":\"x\"").replace(ID, ID + ".2"));
    StageHarness again = StageHarness.run("render").inLocalAttempt(2);
    assertThat(again.with(remote().build())).isEqualTo(StageResult.done("x"));
    assertThat(requests.get(1)).isEqualTo(requests.get(0) + ".2").startsWith("POST ");
    assertThat(JSON.readTree(bodies.get(1)).path("id").asText()).isEqualTo(ID + ".2");
  }

  @Test
  void statusThatARepeatWouldNotChangeIsAFailedAttempt() {
    answers(400, "no such scene");
    assertThatThrownBy(() -> run(remote().build()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("answered status 400 'no such scene'");
    assertThat(requests.get(0)).startsWith("POST ");
  }

  @Test
  void errorsMeanWhatThoseOfAnEngineMean() {
    answers(200, error("retryable"));
    assertThatThrownBy(() -> run(remote().build())).isInstanceOf(EngineException.class);
    script.clear();
    answers(200, error("fatal"));
    assertThatThrownBy(() -> run(remote().build()))
        .isInstanceOf(NonRetryableException.class)
        .hasMessage("why");
    script.clear();
    answers(200, error("out_of_memory"));
    assertThatThrownBy(() -> run(remote().build())).isInstanceOf(ResourceException.class);
  }

  @Test
  void answerThatIsNoResultOfTheRunIsAFailedAttempt() {
    for (String body : List.of("", "[]", "ok", "{}", result("\"x\":1").replace(ID, "another"))) {
      script.clear();
      answers(200, body);
      assertThatThrownBy(() -> run(remote().build())).isInstanceOf(EngineException.class);
    }
  }

  @Test
  void answerThatIsTooLongOrTooLateIsAFailure() {
    answers(200, result("\"result\":\"" + "x".repeat(2_000) + "\""));
    assertThatThrownBy(() -> run(remote().longestAnswer(1_000).build()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("more than 1000 bytes");
    script.clear();
    answers(0, "");
    assertThatThrownBy(() -> run(remote().requestTimeout(Duration.ofMillis(20)).build()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("failed 5 times in a row");
  }

  @Test
  void interruptStopsTheRunAtTheExecutor() throws Exception {
    answers(202, "");
    assertInterruptEnds(remote().exploreInterval(Duration.ofHours(1)).build());
    assertDeleted();
  }

  @Test
  void interruptEndsARequestThatHangs() throws Exception {
    answers(0, "");
    assertInterruptEnds(remote().requestTimeout(Duration.ofHours(1)).build());
    assertDeleted();
  }

  private void assertInterruptEnds(RemoteHandler handler) throws Exception {
    CompletableFuture<StageResult> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(run(handler));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.start();
    await().until(() -> !requests.isEmpty());
    thread.interrupt();
    assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void addressHeadersAndNamesAreSentAsTheyAre() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    server.createContext(
        "/base/",
        exchange -> {
          seen.add(exchange.getRequestHeaders().getFirst("Authorization"));
          seen.add(exchange.getRequestURI().getRawPath());
          exchange.sendResponseHeaders(400, -1);
          exchange.close();
        });
    for (String base : List.of("/base", "/base/")) {
      RemoteHandler handler =
          RemoteHandler.builder(url(base)).header("Authorization", "Bearer k").build();
      assertThatThrownBy(() -> StageHarness.run("a/../b c?").with(handler))
          .isInstanceOf(EngineException.class);
    }
    assertThat(seen.get(0)).isEqualTo("Bearer k");
    assertThat(seen.get(1)).startsWith("/base/runs/").endsWith("a%2F..%2Fb%20c%3F%3A1");
    assertThat(seen).contains(seen.get(1)).doesNotContainNull();
  }

  @Test
  void addressHasToBeOne() {
    for (String bad : List.of("ftp://a", "/runs", "http:///x", "http://a?b=c", "http://a#b")) {
      assertThatIllegalArgumentException().isThrownBy(() -> RemoteHandler.builder(URI.create(bad)));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> remote().exploreInterval(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> remote().longestAnswer(0));
  }

  @Test
  void executorOfTheDocumentationRunsAStage() throws Exception {
    Path script = directory.resolve("executor.py");
    Files.writeString(script, documented());
    Process python = startPython(script);
    try {
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(python.getInputStream(), StandardCharsets.UTF_8));
      String port = output.readLine().replaceAll("\\D+", "");
      RemoteHandler handler =
          RemoteHandler.builder(URI.create("http://127.0.0.1:" + port))
              .exploreInterval(Duration.ofMillis(20))
              .build();
      StageHarness harness = StageHarness.run("render").withContext("quiet");
      assertThat(harness.with(handler)).isEqualTo(StageResult.done("QUIET"));
      assertThat(harness.progress()).isNotEmpty();
    } finally {
      python.destroyForcibly().waitFor();
    }
  }

  private static Process startPython(Path script) {
    Process python = null;
    try {
      python =
          new ProcessBuilder("python3", "-u", script.toString(), "0")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      assumeThat(e).as("python3 is installed").isNull();
    }
    return python;
  }

  private static String documented() throws IOException {
    String page = Files.readString(Path.of("../docs/engines.md"));
    Queue<String> blocks = new ArrayDeque<>(List.of(page.split("```python\n")));
    blocks.remove();
    return blocks.remove().split("```")[0];
  }
}
