package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.KeyedServer.Roles;
import io.asyncflow.flowsvr.edge.access.Role;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * More clients than the server has threads send next to nothing, for ever; health, and the
 * heartbeats of those with a key, are answered all the while.
 */
@KeyedServer
class SlowClientsIT {

  private static final int CLIENTS = 400;

  /** Longer than a thread waits without a place, and shorter than the patience with a client. */
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** What connections and their answers may take of the heap, on both of their ends. */
  private static final long FLAT = 64L << 20;

  private static final String AUTHORIZATION = "Authorization: Bearer " + KeyedServer.KEY + "\r\n";

  @LocalServerPort int port;
  @Autowired MeterRegistry registry;
  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
    assertThat(beat()).isEqualTo(200);
  }

  @Test
  void bodiesOfTheRefusedKeepNoThread() throws Exception {
    List<String> lines =
        List.of(
            "POST /api/worker/heartbeat",
            "PUT /api/store/1_lark_task_1/s/1/x",
            "GET /actuator/health/liveness",
            "POST /actuator/health",
            "POST /a%2fb",
            "POST /api//task/getTask");
    keepNoThread(lines.stream().map(line -> head(line, "") + "\r\n{\"").toList());
  }

  @Test
  void chunksAndTrailersWithoutEndKeepNoThread() throws Exception {
    List<String> beginnings = new ArrayList<>();
    for (String authorization : List.of("", AUTHORIZATION)) {
      String head =
          "POST /api/task/createTask HTTP/1.1\r\nHost: a\r\n"
              + authorization
              + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
      beginnings.add(head + "5;aaa");
      beginnings.add(head + "2\r\n{}\r\n0\r\nx: ");
    }
    keepNoThread(beginnings);
  }

  @Test
  void uploadsThatComeTooSlowlyKeepNoThread() throws Exception {
    String put = "PUT /api/store/1_lark_task_1/s/1/x?workerId=w";
    keepNoThread(List.of(head(put, AUTHORIZATION) + "\r\n{"));
  }

  @Test
  void formsToLogInThatHardlyComeKeepNoThread() throws Exception {
    String head =
        "POST /console/login HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\n";
    try (SlowClients alone =
        new SlowClients(port, 1, List.of(head + "Content-Length: 2000000\r\n\r\nkey="))) {
      healthAndHeartbeatsAreAnsweredUntil(alone::areAllSentAway);
      assertThat(alone.answers()).allMatch(answer -> answer.startsWith("HTTP/1.1 413 "));
    }
    try (SlowClients clients =
        new SlowClients(port, CLIENTS, List.of(head + "Content-Length: 60000\r\n\r\nkey="))) {
      AnswerTimes.areShortUntil(
          clients::areAllSentAway,
          () -> wire.get("/actuator/health/liveness").status(),
          this::beat,
          this::create);
      assertThat(clients.answers())
          .allMatch(answer -> answer.matches("(?s)HTTP/1.1 (408|429) .*"))
          .anyMatch(answer -> answer.startsWith("HTTP/1.1 408 "));
    }
  }

  private void keepNoThread(List<String> beginnings) throws IOException {
    assertThat(CLIENTS / beginnings.size()).as("of each kind").isGreaterThan(KeyedServer.THREADS);
    long before = heap();
    try (SlowClients clients = new SlowClients(port, CLIENTS, beginnings)) {
      assertFlat(before, CLIENTS + " slow clients");
      healthAndHeartbeatsAreAnsweredUntil(clients::areAllSentAway);
    }
    assertFlat(before, CLIENTS + " slow clients were sent away");
  }

  /** What is in use after a collection, of this process, in which the server is. */
  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static void assertFlat(long before, String what) {
    long more = heap() - before;
    System.out.printf(Locale.ROOT, "%s: the heap has %,d KiB more%n", what, more / 1024);
    assertThat(more).as(what).isLessThan(FLAT);
  }

  @Test
  void refusedWhoSendNothingMoreAreSentAwayBeforeTomcatWould() throws IOException {
    try (Socket client = new Socket("127.0.0.1", port)) {
      client.setSoTimeout(9_000); // Tomcat itself waits for ten seconds
      client
          .getOutputStream()
          .write(
              (head("POST /api/worker/heartbeat", "") + "\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(client.getInputStream().readAllBytes())
          .asString()
          .matches("(?s)HTTP/1.1 (401|429) .*");
    }
  }

  @Test
  void bodiesOfThoseWithAKeyAreGivenUp() throws Exception {
    try (SlowClients clients =
        new SlowClients(
            port, CLIENTS, List.of(head("POST /api/task/createTask", AUTHORIZATION) + "\r\n{"))) {
      healthAndHeartbeatsAreAnsweredUntil(clients::areAllSentAway);
      assertThat(clients.answers())
          .allMatch(answer -> answer.matches("(?s)HTTP/1.1 (408|429) .*"))
          .filteredOn(answer -> answer.startsWith("HTTP/1.1 408 "))
          .isNotEmpty()
          .as("those that were not waited for are told to come again")
          .hasSizeLessThan(CLIENTS / 4)
          .allMatch(answer -> answer.contains("\"code\":8021"))
          .allMatch(answer -> answer.contains("\"retryable\":true"))
          .allMatch(answer -> answer.contains("Connection: close"));
    }
  }

  @Test
  void heartbeatsThatHardlyComeLeaveOthersTheirs() throws Exception {
    try (SlowClients clients =
        new SlowClients(
            port, CLIENTS, List.of(head("POST /api/worker/heartbeat", AUTHORIZATION) + "\r\n{"))) {
      healthAndHeartbeatsAreAnsweredUntil(clients::areAllSentAway);
    }
  }

  /** Answers that fill the connections, of which loopback buffers megabytes. */
  @Test
  void answersThatAreNotReadKeepNoThread() throws Exception {
    byte[] asked =
        ("GET /api/probe/long HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                + Roles.keyOf(Role.READER)
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    List<Socket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < KeyedServer.THREADS + 10; i++) {
        Socket client = new Socket();
        clients.add(client);
        client.setReceiveBufferSize(4_096);
        client.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
        client.getOutputStream().write(asked);
      }
      AnswerTimes.areShortUntil(
          AnswerTimes.rounds(5),
          () -> wire.get("/actuator/health/liveness").status(),
          this::beat,
          this::create);
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  /** As one far away does, whose system acknowledges what it has got after more than a moment. */
  @Test
  void readerOfMetricsMayPause() throws Exception {
    Gauge gauge =
        Gauge.builder("probe", () -> 1).tag("text", "x".repeat(8 << 20)).register(registry);
    try (Socket client = new Socket()) {
      client.setReceiveBufferSize(4_096);
      client.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
      client
          .getOutputStream()
          .write(
              ("GET /actuator/prometheus HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                      + AUTHORIZATION
                      + "\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      long begin = System.nanoTime();
      AnswerTimes.areShortUntil(() -> System.nanoTime() - begin > PAUSE.toNanos(), this::beat);
      String answer =
          new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      int head = answer.indexOf("\r\n\r\n") + 4;
      assertThat(answer.substring(0, head))
          .contains("\r\nContent-Length: " + (answer.length() - head) + "\r\n");
    } finally {
      registry.remove(gauge);
    }
  }

  /** Or its client would have a thread go on and on while others wait for one. */
  @ParameterizedTest
  @ValueSource(strings = {"GET /actuator/health/liveness", "POST /api/worker/heartbeat"})
  void nextRequestThatDoesNotWaitForTheAnswerIsNotServed(String line) throws IOException {
    String body = line.startsWith("GET") ? "" : "{\"workerId\":\"w\",\"tasks\":[]}";
    String request =
        line
            + " HTTP/1.1\r\nHost: a\r\n"
            + AUTHORIZATION
            + (body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n")
            + "\r\n"
            + body;
    try (Socket client = new Socket("127.0.0.1", port)) {
      client.getOutputStream().write(request.repeat(3).getBytes(StandardCharsets.US_ASCII));
      String answers = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answers)
          .containsOnlyOnce("HTTP/1.1 ")
          .startsWith("HTTP/1.1 200")
          .contains("Connection: close");
    }
  }

  @Test
  void halfAHeadKeepsNoThread() throws Exception {
    long before = heap();
    try (SlowClients clients =
        new SlowClients(port, CLIENTS, List.of("POST /api/worker/heartbeat HTTP/1.1\r\nX: a"))) {
      healthAndHeartbeatsAreAnsweredUntil(AnswerTimes.rounds(20));
      assertFlat(before, CLIENTS + " halves of heads");
      assertThat(clients.stillThere()).as("so they were there").isGreaterThan(CLIENTS * 9 / 10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/actuator/health", "/api/store/1_lark_task_1/s/1/x", "/nowhere"})
  void formWithoutEndIsNotRead(String path) throws IOException {
    isNotRead("PUT " + path, "application/x-www-form-urlencoded", "", "a&");
  }

  @Test
  void textWithoutEndIsNotReadByHealth() throws IOException {
    isNotRead("GET /actuator/health", "application/json", "{\"a\":\"", "aa");
  }

  private void isNotRead(String line, String type, String beginning, String some)
      throws IOException {
    long length = 1L << 30;
    String head =
        line
            + " HTTP/1.1\r\nHost: a\r\nContent-Type: "
            + type
            + "\r\nContent-Length: "
            + length
            + "\r\n\r\n"
            + beginning;
    byte[] more = some.repeat(32 * 1024).getBytes(StandardCharsets.US_ASCII);
    long before = heap();
    try (Socket client = new Socket("127.0.0.1", port)) {
      assertThat(sentUntilItIsClosed(client, head, more, length)).isLessThan(100L << 20);
      assertFlat(before, line + " of 1 GiB");
    }
    healthAndHeartbeatsAreAnsweredUntil(AnswerTimes.rounds(1));
  }

  private static long sentUntilItIsClosed(Socket client, String head, byte[] more, long length) {
    long sent = 0;
    try {
      OutputStream out = client.getOutputStream();
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      while (sent < length) {
        out.write(more);
        sent += more.length;
      }
    } catch (IOException e) {
      // the server has heard enough
    }
    return sent;
  }

  private static String head(String line, String headers) {
    return line
        + " HTTP/1.1\r\nHost: a\r\n"
        + headers
        + "Content-Type: application/json\r\nContent-Length: 1000000\r\n";
  }

  private void healthAndHeartbeatsAreAnsweredUntil(BooleanSupplier end) {
    AnswerTimes.areShortUntil(
        end, () -> wire.get("/actuator/health/liveness").status(), this::beat);
  }

  private int beat() {
    return wire.send(
            wire.request("/api/worker/heartbeat")
                .header("Authorization", "Bearer " + KeyedServer.KEY)
                .POST(BodyPublishers.ofString("{\"workerId\":\"w\",\"tasks\":[]}")))
        .status();
  }

  /** Of a type that does not exist: refused by a controller, for which it had a thread. */
  private int create() {
    int status =
        wire.send(
                wire.request("/api/task/createTask")
                    .header("Authorization", "Bearer " + KeyedServer.KEY)
                    .POST(BodyPublishers.ofString("{\"taskData\":{}}")))
            .status();
    return status == 400 ? 200 : status;
  }
}
