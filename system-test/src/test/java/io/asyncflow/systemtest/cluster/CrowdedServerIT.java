package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers with more clients than their heaps have room for. */
@Tag("faults")
@Timeout(300)
class CrowdedServerIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Tens of ms where nothing else runs; after so long a worker gives a heartbeat up. */
  private static final Duration SOON = Duration.ofSeconds(3);

  /**
   * How long a hold is parked. Then the first leave, others take their room, and no count holds.
   */
  private static final Duration WAIT = Duration.ofSeconds(30);

  /** After the first has joined, however many have by then. */
  private static final Duration LAST_JOINS = WAIT.minusSeconds(10);

  /** Longer than Tomcat waits for the first byte. */
  private static final Duration ATTACK = Duration.ofSeconds(15);

  private static final Duration ALL_ARE_COUNTED = WAIT.minusSeconds(2);

  private static Cluster cluster;
  private static ServerNode server;

  @BeforeAll
  static void startSmallServer() {
    cluster = Cluster.startWithoutRedis("crowded");
    server = start("192m");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static ServerNode start(String heap) {
    return cluster.startServer(plan -> plan.withHeap(heap));
  }

  @Test
  void holdsOfMoreWorkersThanItHasConnectionsLeaveHeartbeatsAndHealthTheirAnswers() {
    parkMoreThanFit(server, "crowded", 2_000, 500);
  }

  @Test
  void eightThousandHoldsDoNotMakeAServerDeaf() {
    ServerNode larger = start("512m");
    parkMoreThanFit(larger, "very_crowded", 8_000, 1_320);
    larger.kill();
  }

  private static String hold(String type, int worker) {
    return "GET /api/task/hold_task?taskType=%s&stages=a&workerId=w%s&limit=1&waitMs=%s"
        .formatted(type, worker, WAIT.toMillis());
  }

  /**
   * @param type of this test alone: a task that is left would be the answer to a hold
   */
  private static void parkMoreThanFit(ServerNode server, String type, int clients, int atMost) {
    server.client().saveTaskType(TaskTypeSettings.named(type));
    Duration longest = Duration.ZERO;
    try (Crowd crowd = new Crowd(server.port())) {
      answerTime(crowd); // the first of a start
      Stopwatch watch = Stopwatch.start();
      for (int i = 0; i < clients && watch.elapsed().compareTo(LAST_JOINS) < 0; i++) {
        crowd.join(hold(type, i));
        if (i % 50 == 0) {
          longest = longer(longest, answerTime(crowd));
        }
      }
      assertThat(crowd.size()).as("clients that joined in time").isGreaterThan(atMost);
      long refused =
          await()
              .atMost(ALL_ARE_COUNTED.minus(watch.elapsed()))
              .until(
                  () -> crowd.answered(CrowdedServerIT::isRefused),
                  count ->
                      count >= crowd.size() - atMost
                          && count == crowd.answered(answer -> !answer.isEmpty()));
      long parked = crowd.size() - refused;
      longest = longer(longest, answerTime(crowd));
      Figures.print(
          "%s holds at a server with a heap of %s: %s are parked, the others refused; a heartbeat"
              + " or health over a new connection took %s ms at most",
          crowd.size(), server.heap(), parked, Figures.ms(longest));
      assertThat(parked).isGreaterThan(atMost / 2);
      assertThat(crowd.answered(answer -> isBeyondTheLimit(answer) && !asksToClose(answer)))
          .as("refused for good, and still connected")
          .isZero();
    }
    assertThat(longest).isLessThan(SOON);
    // A parked client that is gone is found out when it is answered.
    NewTask task = NewTask.of(type, "a", "me", "{}");
    for (int part = 0; part < 2; part++) { // a call takes a thousand
      server.client().createTasks(Collections.nCopies(atMost / 2, task));
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(parkedFor(server, type)).isGreaterThan(Duration.ofMillis(400)));
  }

  /** Because too many wait, or because all threads were occupied at that moment. */
  private static boolean isRefused(String answer) {
    return answer.startsWith("HTTP/1.1 429") && answer.contains("\"code\":8080");
  }

  private static boolean isBeyondTheLimit(String answer) {
    return isRefused(answer) && answer.contains("holds and streams wait on this server");
  }

  private static boolean asksToClose(String answer) {
    return answer.contains("Connection: close");
  }

  @Test
  void connectionsThatAreOpenForNothingDoNotFillIt() {
    int clients = 1_000;
    try (Crowd crowd = new Crowd(server.port())) {
      for (int i = 0; i < clients; i++) {
        crowd.join("GET /actuator/health/liveness");
        if (i % 50 == 0) {
          assertThat(answerTime(crowd)).isLessThan(SOON);
        }
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(crowd.answered(answer -> answer.startsWith("HTTP/1.1 200")))
                      .isEqualTo(clients));

      assertThat(crowd.open()).isBetween(200L, 655L);
      assertThat(answerTime(crowd)).isLessThan(SOON);
    }
  }

  /** Without a key, and with hardly a byte: a head that goes on, one that has ended, and none. */
  @Test
  void eightThousandConnectionsWithoutARequestDoNotMakeAServerDeaf() {
    ServerNode larger = start("512m");
    int clients = 8_300;
    Duration longest = Duration.ZERO;
    try (Crowd crowd = new Crowd(larger.port())) {
      answerTime(crowd); // the first of a start
      for (int i = 0; i < clients; i++) {
        crowd.beginWith(List.of("", "GET /actuator/hea", "GET / HTTP/1.1\r\nX: ").get(i % 3));
        if (i % 500 == 0) {
          crowd.sendMore("x");
          longest = longer(longest, answerTime(crowd));
        }
      }
      Stopwatch watch = Stopwatch.start();
      while (watch.elapsed().compareTo(ATTACK) < 0) {
        crowd.sendMore("x");
        longest = longer(longest, answerTime(crowd));
      }
      Figures.print(
          "%s connections without a request at a server with a heap of %s: %s are open; a heartbeat"
              + " or health over a new connection took %s ms at most",
          crowd.size(), larger.heap(), crowd.open(), Figures.ms(longest));
      assertThat(crowd.open()).isLessThan(2_184);
    }
    assertThat(longest).isLessThan(SOON);
    assertThat(larger.isReady()).isTrue();
    larger.kill();
  }

  private static Duration answerTime(Crowd crowd) {
    return longer(
        crowd.timeOf("GET /actuator/health/liveness", ""),
        crowd.timeOf("POST /api/worker/heartbeat", "{\"workerId\":\"w\",\"tasks\":[]}"));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** How long a hold waits that may wait for half a second; nothing if it is refused. */
  private static Duration parkedFor(ServerNode server, String type) {
    HoldRequest hold = new HoldRequest(type, 1, "late", 500, null, List.of("b"));
    Stopwatch watch = Stopwatch.start();
    try {
      assertThat(server.client().holdTasks(hold)).isEmpty();
      return watch.elapsed();
    } catch (FlowException refused) {
      return Duration.ZERO;
    }
  }
}
