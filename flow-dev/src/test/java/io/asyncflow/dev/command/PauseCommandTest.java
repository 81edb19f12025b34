package io.asyncflow.dev.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code pause}, {@code resume} and {@code pauses} against a server that says what a test wants.
 */
@Timeout(60)
class PauseCommandTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<String> asked = new ArrayList<>();

  /** The bodies of the next answers; without any, a call succeeds without a result. */
  private final Queue<String> answers = new ArrayDeque<>();

  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pause type lark | pause/set {'kind':'TYPE','name':'lark',",
        "pause STAGE lark/sendmsg | pause/set {'kind':'STAGE','name':'lark/sendmsg',",
        "pause worker w1 | pause/set {'kind':'WORKER','name':'w1',",
        "pause task 1_lark_task_1 | task/pause {'taskId':'1_lark_task_1',",
        "pause task 1_lark_task_1 --stop | task/pause {'taskId':'1_lark_task_1','stop':1,",
        "pause job 7 | job/pause {'jobId':'7',",
        "resume type lark | pause/clear {'kind':'TYPE','name':'lark',",
        "resume stage lark/sendmsg | pause/clear {'kind':'STAGE','name':'lark/sendmsg',",
        "resume worker w1 | pause/clear {'kind':'WORKER','name':'w1',",
        "resume task 1_lark_task_1 | task/resume {'taskId':'1_lark_task_1',",
        "resume job 7 | job/resume {'jobId':'7',"
      })
  void eachKindHasItsCall(String command, String call) {
    List<String> words = new ArrayList<>(List.of(command.trim().split(" ")));
    words.addAll(List.of("--operator", "ann", "--reason", "why"));
    assertThat(run(words.toArray(String[]::new))).as(err.toString(UTF_8)).isZero();
    assertThat(lines(out)).containsExactly(command.startsWith("pause") ? "Paused." : "It goes on.");
    assertThat(asked)
        .containsExactly((call + "'operator':'ann','reason':'why'}").replace('\'', '"'));
  }

  @Test
  void aPauseMayEndByItself() {
    assertThat(run("pause", "type", "lark", "--until", "2026-11-23T03:00")).isZero();
    assertThat(asked).singleElement().asString().contains("\"until\":" + THREE);
    assertThat(lines(out)).containsExactly("Paused until 2026-11-23 03:00:00+01:00.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pause",
        "pause planet mars",
        "pause type",
        "pause type lark --until soon",
        "pause task 1_lark_task_1 --until 2026-11-23T03:00",
        "pause job 7 --until 2026-11-23T03:00",
        "pause type lark --stop",
        "resume type lark --until 2026-11-23T03:00"
      })
  void whatIsNotUnderstoodAsksNothing(String command) {
    assertThat(run(command.split(" "))).isEqualTo(2);
    assertThat(asked).isEmpty();
    assertThat(lines(err)).isNotEmpty();
  }

  @Test
  void aRefusalIsAFailure() {
    answers.add("{\"code\":8042,\"msg\":\"no such type: mars\",\"result\":null}");
    assertThat(run("pause", "type", "mars")).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("no such type: mars");
    assertThat(out.size()).isZero();
  }

  @Test
  void whatIsPausedIsListed() {
    answers.add(
        ok(
            """
            {"pauseList":[{"kind":"TYPE","name":"lark","until":null,"operator":"","reason":"",
              "pauseTime":0}],"nextCursor":"TYPE:lark"}
            """));
    answers.add(
        ok(
            """
            {"pauseList":[{"kind":"STAGE","name":"lark/sendmsg","until":%d,"operator":"ann",
              "reason":"boom \\u001b[31m","pauseTime":%d}]}
            """
                .formatted(THREE, THREE - 3_600_000)));
    assertThat(run("pauses")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "type lark",
            "stage lark/sendmsg, since 2026-11-23 02:00:00+01:00, until 2026-11-23 03:00:00+01:00,"
                + " by ann: boom \uFFFD[31m");
    assertThat(asked).last().asString().contains("\"cursor\":\"TYPE:lark\"");
  }

  @Test
  void nothingMayBePaused() {
    answers.add(ok("{\"pauseList\":[]}"));
    assertThat(run("pauses")).isZero();
    assertThat(lines(out)).containsExactly("Nothing is paused.");
  }

  private static String ok(String result) {
    return "{\"code\":0,\"msg\":\"ok\",\"result\":" + result + "}";
  }

  private int run(String... words) {
    Map<String, String> environment =
        Map.of("FLOW_URL", "http://127.0.0.1:" + server.getAddress().getPort());
    PrintStream console = new PrintStream(out, true, UTF_8);
    PrintStream errors = new PrintStream(err, true, UTF_8);
    return Asyncflow.of(
            new PauseCommand(environment, console, BERLIN),
            new ResumeCommand(environment, console),
            new PausesCommand(environment, console, BERLIN))
        .setOut(new PrintWriter(console, true))
        .setErr(new PrintWriter(errors, true))
        .execute(words);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String call = exchange.getRequestURI().getPath().replace("/api/", "");
    asked.add(call + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    byte[] body = (answers.isEmpty() ? ok("null") : answers.remove()).getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static List<String> lines(ByteArrayOutputStream printed) {
    return printed.toString(UTF_8).lines().toList();
  }
}
