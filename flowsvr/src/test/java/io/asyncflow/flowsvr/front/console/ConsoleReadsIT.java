package io.asyncflow.flowsvr.front.console;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.StatementCounter;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.TaskType;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;

/**
 * What open pages cost the database, and what they have to do with those who work. It has a server
 * of its own, which counts statements.
 */
@RunningServer
@TestPropertySource(
    properties = {
      "spring.datasource.hikari.data-source-properties.queryInterceptors="
          + "io.asyncflow.flowsvr.StatementCounter",
      "spring.datasource.hikari.maximum-pool-size=" + ConsoleReadsIT.CONNECTIONS,
      "flow.access.api-key=" + ConsoleReadsIT.KEY
    })
@DirtiesContext
@Timeout(120)
class ConsoleReadsIT {

  static final int CONNECTIONS = 6;
  static final String KEY = "b0c9f8cd98f00b2e9800998ecf842d11";

  private static final int VIEWERS = 50;
  private static final int TYPES = 12;
  private static final int STATEMENTS_A_SECOND = 5;
  private static final int SEARCHES = 10;

  /** As often do all of them look. */
  private static final int ROUNDS = 8;

  private static final String REQUESTS = "http-nio";

  /** What makes the numbers that are shown next. */
  private static final String BACKGROUND = "stats-snapshots";

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired HikariDataSource pool;
  @Autowired ReadDatabase reads;

  private final ExecutorService others = Executors.newFixedThreadPool(8);
  private final HttpClient http = HttpClient.newHttpClient();
  private Wire wire;
  private TaskType lark;
  private String task;

  @BeforeEach
  void somethingToLookAt() {
    wire = new Wire(port);
    lark = given.aType().create();
    task = given.aWaitingTask().ofType(lark).create().toString();
    assertThat(api("/api/worker/heartbeat", "{'workerId':'w-%s'}".formatted(lark.name())).code())
        .isZero();
    assertThat(api("/api/worker/get", "{'workerId':'w-%s'}".formatted(lark.name())).code())
        .isZero();
  }

  @AfterEach
  void stop() {
    others.shutdownNow();
  }

  private Answer api(String path, String json) {
    return wire.send(
        wire.request(path)
            .header("Authorization", "Bearer " + KEY)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private HttpResponse<String> page(String address) throws Exception {
    return send(
        wire.request("/console" + address)
            .header("Authorization", "Bearer " + KEY)
            .header("X-Asyncflow-Live", "1"));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private List<String> pages() {
    return List.of("/types", "/tasks/" + task, "/worker?id=w-" + lark.name());
  }

  @Test
  void fiftyOpenConsolesCostFiveStatementsASecond() throws Exception {
    for (int other = 0; other < TYPES; other++) {
      given.aWaitingTask().ofType(given.aType().create()).create();
    }
    assertFiftyViewersAreCheap(pages());
  }

  @Test
  void fiftyOpenOverviewsCostFiveStatementsASecond() throws Exception {
    assertFiftyViewersAreCheap(List.of(""));
  }

  /** As fifty different searches that ask every five seconds may cost forty a second. */
  @Test
  void lookAtASearchCostsFourStatements() throws Exception {
    String others = "/tasks?q=type:" + lark.name() + "%20user:";
    assertThat(page(others + "nobody").statusCode()).isEqualTo(200);
    StatementCounter.clear();
    long begin = System.nanoTime();
    for (int viewer = 0; viewer < SEARCHES; viewer++) {
      assertThat(page(others + "user-" + viewer).statusCode()).isEqualTo(200);
    }
    double seconds = (System.nanoTime() - begin) / (double) SECONDS.toNanos(1);

    // What all of them share is read once in two seconds.
    assertThat((double) StatementCounter.ofThreadsLike(REQUESTS))
        .as(StatementCounter.most(12))
        .isLessThanOrEqualTo(4 * SEARCHES + Math.ceil(seconds / 2));
  }

  private void assertFiftyViewersAreCheap(List<String> pages) throws Exception {
    for (String address : pages) {
      assertThat(page(address).statusCode()).as(address).isEqualTo(200);
    }
    StatementCounter.clear();
    long begin = System.nanoTime();
    for (int round = 0; round < ROUNDS; round++) {
      List<Callable<Integer>> looks = new ArrayList<>();
      for (int viewer = 0; viewer < VIEWERS; viewer++) {
        pages.forEach(address -> looks.add(() -> page(address).statusCode()));
      }
      for (Future<Integer> look : others.invokeAll(looks)) {
        assertThat(look.get()).isEqualTo(200);
      }
    }
    double seconds = (System.nanoTime() - begin) / (double) SECONDS.toNanos(1);
    long statements =
        StatementCounter.ofThreadsLike(REQUESTS) + StatementCounter.ofThreadsLike(BACKGROUND);

    System.out.printf(
        Locale.ROOT,
        "%s statements of %s looks in %.1f s: %.2f a second%n%s%n",
        statements,
        ROUNDS * VIEWERS * pages.size(),
        seconds,
        statements / seconds,
        StatementCounter.most(12));
    // All that is shared may just have become old when the last look came.
    assertThat((double) statements)
        .isLessThanOrEqualTo(STATEMENTS_A_SECOND * (seconds + SECONDS.toSeconds(2)));
  }

  @Test
  void pagesAnswerWhileTheWorkHasTakenAllConnections() throws Exception {
    List<Connection> taken = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        taken.add(pool.getConnection());
      }
      assertThat(api("/api/task/getTask", "{'taskId':'" + task + "'}").status())
          .as("what the work asks for")
          .isEqualTo(503);
      List<String> all = new ArrayList<>(pages());
      all.addAll(List.of("/jobs", "/workers", "/schedules", "/cluster", "/audit"));
      for (String address : all) {
        // A look may wait with the work for what both know, such as the types; the next one reads.
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertThat(page(address).statusCode()).as(address).isEqualTo(200));
      }
      HttpResponse<String> unread =
          send(
              wire.request("/console/types")
                  .header("Accept", "text/html")
                  .header("Cookie", "asyncflow=" + "A".repeat(43)));
      assertThat(unread.statusCode()).as("a session that cannot be read").isEqualTo(503);
    } finally {
      for (Connection connection : taken) {
        connection.close();
      }
    }
  }

  @Test
  void holdsWorkWhileOpenPagesHaveTakenAllReads() throws Exception {
    CountDownLatch taken = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    List<Future<?>> readers = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        readers.add(
            others.submit(
                () ->
                    reads.inTurn(
                        () -> {
                          taken.countDown();
                          return awaitEnd(end);
                        })));
      }
      assertThat(taken.await(30, SECONDS)).isTrue();

      HttpResponse<String> refused = page("/tasks/" + task);
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      Answer held =
          api("/api/task/hold_task", "{'taskType':'%s','workerId':'w'}".formatted(lark.name()));
      assertThat(held.result().path("taskList").get(0).path("taskId").asString()).isEqualTo(task);
    } finally {
      end.countDown();
    }
    for (Future<?> reader : readers) {
      reader.get(30, SECONDS);
    }
    assertThat(page("/tasks/" + task).statusCode()).isEqualTo(200);
  }

  private static boolean awaitEnd(CountDownLatch end) {
    try {
      return end.await(60, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
