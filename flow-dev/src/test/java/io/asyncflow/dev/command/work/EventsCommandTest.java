package io.asyncflow.dev.command.work;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.dev.command.Asyncflow;
import io.asyncflow.dev.command.option.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command against a server that says what a test wants. */
@Timeout(60)
class EventsCommandTest {
  private static final String NOBODY = "http://127.0.0.1:1";

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private static final String TASK =
      """
      {"id":"41","time":%s,"kind":"RETRY","taskId":"1_lark_task_1","taskType":"lark",\
      "taskStage":"sendmsg","userId":"ann","status":1,"leaseEpoch":1,"crtRetryNum":1,\
      "workerId":"w1","errMsg":"boom \\u001b[31m"}"""
          .formatted(THREE);

  private static final String JOB =
      "{\"id\":\"42\",\"time\":%s,\"kind\":\"JOB_STATE\",\"taskType\":\"book\",\"userId\":\"ann\",\"jobId\":\"7\",\"state\":\"SUCCESS\"}"
          .formatted(THREE);

  private static final String SCHEDULE =
      "{\"id\":\"43\",\"time\":%s,\"kind\":\"SCHEDULE_STATE\",\"taskType\":\"lark\",\"scheduleId\":\"8\",\"state\":\"ENDED\"}"
          .formatted(THREE);

  private static final String OF_A_LATER_VERSION =
      "{\"id\":\"44\",\"time\":%s,\"kind\":\"PRAISED\",\"taskId\":\"1_lark_task_1\",\"taskStage\":\"s\"}"
          .formatted(THREE);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch isOver = new CountDownLatch(1);
  private final CountDownLatch isBack = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private String page =
      "{\"code\":0,\"msg\":\"ok\",\"result\":{\"eventList\":[],\"cursor\":\"40\"}}";
  private List<String> stream = List.of();
  private String breaksAfterCursor;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/api/event/list", this::answerPage);
    server.createContext("/api/event/stream", this::answerStream);
    server.start();
  }

  @AfterEach
  void stop() {
    isOver.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  @Test
  void anEventIsALine() {
    stream = List.of(TASK, JOB, SCHEDULE, OF_A_LATER_VERSION);
    assertThat(run("--limit", "4")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "2026-11-23 03:00:00+01:00  RETRY           1_lark_task_1  sendmsg  user ann  worker w1"
                + "  boom \uFFFD[31m",
            "2026-11-23 03:00:00+01:00  JOB_STATE       job 7  SUCCESS  user ann",
            "2026-11-23 03:00:00+01:00  SCHEDULE_STATE  schedule 8  ENDED",
            "2026-11-23 03:00:00+01:00  OTHER           1_lark_task_1  s");
    assertThat(lines(err)).containsExactly("It goes on with --cursor 44");
  }

  @Test
  void anEventIsALineOfJson() {
    stream = List.of(JOB, SCHEDULE);
    assertThat(run("--limit", "2", "--json")).isZero();
    assertThat(lines(out)).containsExactly(JOB, SCHEDULE);
    assertThat(lines(err)).containsExactly("It goes on with --cursor 42");
  }

  @Test
  void aLimitLeavesOutWhatArrivedWithTheLastEvent() {
    stream = List.of(TASK, JOB, SCHEDULE);
    assertThat(run("--limit", "1")).isZero();
    assertThat(lines(out)).singleElement().asString().contains("1_lark_task_1");
    assertThat(lines(err)).containsExactly("It goes on with --cursor 41");
  }

  @Test
  void itFollowsFromNowOnEvenIfTheFirstConnectionBreaks() {
    stream = List.of(TASK);
    run("--limit", "1");
    assertThat(asked).last().isEqualTo("/api/event/stream after 40");
  }

  @Test
  void itGoesOnAfterACursorThatCameAlone() throws InterruptedException {
    breaksAfterCursor = "99";
    Thread command = new Thread(() -> run("--kind", "POISON"));
    command.start();
    isBack.await();
    command.interrupt();
    command.join();
    assertThat(lines(err)).containsExactly("It goes on with --cursor 99");
  }

  @Test
  void filtersAndTheCursorAreTheServers() {
    stream = List.of(TASK);
    assertThat(
            run(
                "--type",
                "Lark,book",
                "--kind",
                "retry",
                "--kind",
                "FAILED",
                "--user",
                "ann",
                "--cursor",
                "12",
                "--limit",
                "1"))
        .isZero();
    assertThat(asked)
        .hasSize(2)
        .last()
        .isEqualTo(
            "/api/event/stream?taskTypes=book%2Clark&kinds=FAILED%2CRETRY&userId=ann after 12");
    assertThat(asked.get(0)).contains("\"cursor\":\"12\"", "\"limit\":1", "\"waitMs\":0");
  }

  @Test
  void aCursorThatIsTooOldIsRefused() {
    page =
        "{\"code\":8020,\"msg\":\"cursor is older than the events that are kept; the oldest cursor is"
            + " 9\",\"result\":null}";
    assertThat(run("--cursor", "1")).isEqualTo(1);
    assertThat(lines(err)).singleElement().asString().contains("the oldest cursor is 9");
    assertThat(asked).hasSize(1);
  }

  @Test
  void aServerThatIsNotThereIsThree() {
    assertThat(run("--url", NOBODY)).isEqualTo(3);
    assertThat(lines(err)).singleElement().asString().contains("refuses the connection");
  }

  @Test
  void whatIsNotUnderstoodIsTwo() {
    assertThat(run("--kind", "LOST")).isEqualTo(2);
    assertThat(run("--limit", "0")).isEqualTo(2);
    assertThat(lines(err))
        .anyMatch(line -> line.contains("--kind") && line.contains("WORKER_LOST"))
        .contains("asyncflow: --limit wants a whole number from 1 to 100000000, not 0.");
    assertThat(asked).isEmpty();
  }

  private int run(String... arguments) {
    PrintStream console = new PrintStream(out, true, UTF_8);
    PrintStream errors = new PrintStream(err, true, UTF_8);
    Map<String, String> environment =
        Map.of("FLOW_URL", "http://127.0.0.1:" + server.getAddress().getPort());
    return Asyncflow.of(
            new EventsCommand(
                new Terminal(environment, console, errors, ZoneId.of("Europe/Berlin"))))
        .setOut(new PrintWriter(console, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(Stream.concat(Stream.of("events"), Stream.of(arguments)).toArray(String[]::new));
  }

  private void answerPage(HttpExchange exchange) throws IOException {
    asked.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    byte[] body = page.getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Stays open, as that of a server does. */
  private void answerStream(HttpExchange exchange) throws IOException {
    asked.add(
        exchange.getRequestURI()
            + " after "
            + exchange.getRequestHeaders().getFirst("Last-Event-ID"));
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream body = exchange.getResponseBody();
    if (breaksAfterCursor != null) {
      if (asked.get(asked.size() - 1).endsWith(" after " + breaksAfterCursor)) {
        isBack.countDown();
      }
      body.write((":\nid: " + breaksAfterCursor + "\n\n").getBytes(UTF_8));
      exchange.close();
      return;
    }
    int id = 41;
    for (String event : stream) {
      body.write("id: %s\ndata: %s\n\n".formatted(id++, event).getBytes(UTF_8));
    }
    body.flush();
    try {
      isOver.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.close();
  }

  private static List<String> lines(ByteArrayOutputStream printed) {
    return printed.toString(UTF_8).lines().toList();
  }
}
