package io.asyncflow.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The worker as a process of its own, with no flowsvr there. */
@Tag("faults")
@Timeout(60)
class ExampleWorkerIT {

  @TempDir Path directory;
  private Process worker;

  @AfterEach
  void leaveNoProcessBehind() {
    worker.destroyForcibly();
  }

  @Test
  void theWorkerEndsWithItsLauncher() throws Exception {
    start(Map.of("FLOW_EXIT_WITH_PARENT", "true"));
    awaitLine("started: [lark, tts]");
    awaitLine("Started ExampleWorker");
    // The system does the same when the launcher dies, however it dies.
    worker.getOutputStream().close();
    awaitLine("The launcher is gone; stopping.");
    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(worker.exitValue()).isZero();
  }

  @Test
  void aWorkerThatNobodyLaunchedStaysWithoutInput() throws Exception {
    start(Map.of());
    worker.getOutputStream().close();
    awaitLine("Started ExampleWorker");
    worker.toHandle().destroy();
    assertThat(worker.inputReader().lines())
        .as("what ends it is the signal")
        .noneMatch(line -> line.contains("The launcher is gone"));
  }

  @ParameterizedTest
  @CsvSource({"FLOW_URL, foo", "FLOW_REDIS_URL, localhost:6379"})
  void whatCannotWorkIsOneSentenceAndTheEnd(String variable, String value) throws Exception {
    start(Map.of(variable, value));
    List<String> output = worker.inputReader().lines().toList();
    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(worker.exitValue()).isEqualTo(1);
    assertThat(output)
        .last()
        .asString()
        .contains("the worker does not start: " + variable + " must");
    assertThat(output).filteredOn(line -> line.matches(".* (WARN|ERROR) .*")).hasSize(1);
    assertThat(output).noneMatch(line -> line.startsWith("\tat "));
  }

  @Test
  void aServerThatIsNowhereIsWaitedForAndSaidOnce() throws Exception {
    start(Map.of("FLOW_URL", "http://nowhere.invalid:8081"));
    awaitLine("has a host name that is unknown");
    // Every loop has tried again by then.
    assertThat(worker.waitFor(1, TimeUnit.SECONDS)).isFalse();
    worker.toHandle().destroy();
    assertThat(worker.inputReader().lines()).noneMatch(line -> line.matches(".* (WARN|ERROR) .*"));
  }

  @Test
  void aWorkerThatIsSentAwayEndsWithSuccess() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", ExampleWorkerIT::sendAway);
    server.start();
    try {
      start(Map.of("FLOW_URL", "http://127.0.0.1:" + server.getAddress().getPort()));
      awaitLine("The worker is drained; stopping.");
      assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.exitValue()).isZero();
    } finally {
      server.stop(0);
    }
  }

  /** A flowsvr without types that drains every worker. */
  private static void sendAway(HttpExchange exchange) throws IOException {
    byte[] answer =
        "{\"code\":0,\"result\":{\"tasks\":[],\"drain\":true,\"scheduleCfgList\":[]}}"
            .getBytes(StandardCharsets.UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private void start(Map<String, String> environment) throws IOException {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ExampleWorker.class.getName());
    command.environment().put("FLOW_URL", "http://127.0.0.1:1");
    command.environment().putAll(environment);
    worker = command.directory(directory.toFile()).redirectErrorStream(true).start();
  }

  private void awaitLine(String text) throws IOException {
    BufferedReader output = worker.inputReader();
    StringBuilder all = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      all.append(line).append("\n");
      if (line.contains(text)) {
        return;
      }
    }
    throw new AssertionError("The worker ended without \"" + text + "\":\n" + all);
  }
}
