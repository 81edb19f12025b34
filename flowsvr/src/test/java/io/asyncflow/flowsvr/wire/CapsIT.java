package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.hold.OpenHolds;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** What one client may not have too much of, so that it takes nothing from the others. */
@RunningServer
@TestPropertySource(
    properties = {
      "flow.max-types=2",
      "flow.max-workers=5",
      "flow.max-holds-per-address=4",
      "flow.max-streams-per-address=3"
    })
class CapsIT {

  private static final int PER_WORKER = 128; // the default
  private static final int AT_ONCE = 2_000;
  private static final Duration A_LONG_WHILE = Duration.ofSeconds(60);

  @LocalServerPort int port;
  @Autowired JdbcClient jdbc;
  @Autowired TaskHolds holds;
  @Autowired OpenHolds open;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Wire wire;

  @BeforeEach
  void twoTypes() {
    wire = new Wire(port);
    for (String type : List.of("capped", "other")) {
      Answer saved = wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + type + "'}");
      assertThat(saved.code()).as(saved.msg()).isZero();
    }
  }

  @Test
  void beyondSoManyTypesNoneIsMade() {
    assertOver(wire.post("/api/task_schedule_cfg/save", "{'task_type':'third'}"), "max-types");

    Answer known = wire.post("/api/task_schedule_cfg/save", "{'task_type':'OTHER','paused':0}");
    assertThat(known.code()).isZero();
    assertThat(jdbc.sql("SELECT COUNT(*) FROM t_schedule_cfg").query(Integer.class).single())
        .isEqualTo(2);
  }

  @Test
  void oneWorkerParksSoManyHoldsAndTheOthersGoOn() {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      answers.add(
          http.sendAsync(
              request("/api/task/hold_task?taskType=capped&workerId=greedy&waitMs=30000"),
              BodyHandlers.ofString()));
    }
    healthAndHeartbeatsAreAnswered();
    // Where the machine is so busy that some end by themselves meanwhile, others take their places.
    await()
        .atMost(A_LONG_WHILE)
        .until(
            () -> {
              assertThat(holds.parked()).isLessThanOrEqualTo(PER_WORKER);
              return done(answers) + holds.parked() == AT_ONCE;
            });
    healthAndHeartbeatsAreAnswered();

    open.setDraining(Map.of("greedy", new OpenHolds.Drain("", null))); // ends what is parked
    await().atMost(A_LONG_WHILE).until(() -> done(answers) == AT_ONCE);
    assertThat(holds.parked()).isZero();
    List<HttpResponse<String>> refused =
        answers.stream()
            .map(CompletableFuture::join)
            .filter(answer -> answer.statusCode() != 200)
            .toList();
    assertThat(refused)
        .hasSizeBetween(AT_ONCE / 2, AT_ONCE - PER_WORKER)
        .allMatch(answer -> answer.statusCode() == 429)
        .allMatch(answer -> answer.body().contains("\"code\":8080"))
        .allMatch(answer -> answer.headers().firstValue("Retry-After").isPresent());
    assertThat(wire.get("/api/task/hold_task?taskType=capped&workerId=greedy&waitMs=1").status())
        .as("what has ended is not counted any more")
        .isEqualTo(200);
  }

  private static long done(List<? extends CompletableFuture<?>> answers) {
    return answers.stream().filter(CompletableFuture::isDone).count();
  }

  private void healthAndHeartbeatsAreAnswered() {
    AnswerTimes.areShortUntil(
        AnswerTimes.rounds(20),
        () -> wire.get("/actuator/health/liveness").status(),
        () -> wire.post("/api/worker/heartbeat", "{'workerId':'modest','tasks':[]}").status());
  }

  @Test
  void oneAddressParksSoManyHoldsWithoutAName() {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      answers.add(
          http.sendAsync(
              request("/api/task/hold_task?taskType=other&waitMs=30000"), BodyHandlers.ofString()));
    }
    await().until(() -> holds.parked() == 4);

    assertOver(wire.get("/api/task/hold_task?taskType=other&waitMs=30000"), "of one address");
    assertThat(wire.get("/api/task/hold_task?taskType=other").status())
        .as("one that does not wait")
        .isEqualTo(200);
    assertThat(wire.get("/api/task/hold_task?taskType=other&workerId=w&waitMs=1").status())
        .as("one with a name")
        .isEqualTo(200);

    open.setDraining(Map.of("", new OpenHolds.Drain("", null))); // ends what is parked
    await().until(() -> done(answers) == 4 && holds.parked() == 0);
  }

  @Test
  void oneAddressHasSoManyStreams() throws Exception {
    Answer job = wire.post("/api/job/createJob", "{'jobData':{'userId':'u','jobType':'other'}}");
    String path = "/api/job/progress?jobId=" + job.result().path("jobId").asString();
    List<InputStream> streams = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      HttpResponse<InputStream> stream = http.send(request(path), BodyHandlers.ofInputStream());
      assertThat(stream.statusCode()).isEqualTo(200);
      streams.add(stream.body());
    }

    assertOver(wire.get(path), "streams of one address");

    wire.post("/api/job/cancel", "{'jobId':'" + job.result().path("jobId").asString() + "'}");
    for (InputStream stream : streams) {
      stream.readAllBytes(); // to the end, which the job's is
    }
    await()
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> http.send(request(path), BodyHandlers.ofString()).statusCode() == 200);
  }

  @Test
  void ofManyWorkersTheNewestAreKnown() {
    for (int i = 0; i < 20; i++) {
      Answer beat = wire.post("/api/worker/heartbeat", "{'workerId':'ghost" + i + "','tasks':[]}");
      assertThat(beat.status()).as("leases are renewed all the same").isEqualTo(200);
      wire.get("/api/worker/list");
    }

    List<String> known =
        wire.get("/api/worker/list")
            .result()
            .path("workerList")
            .valueStream()
            .map(worker -> worker.path("workerId").asString())
            .toList();
    assertThat(known).hasSize(5).contains("ghost19").doesNotContain("ghost0");
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
  }

  private static void assertOver(Answer refused, String word) {
    assertThat(refused.status()).as(String.valueOf(refused.body())).isEqualTo(429);
    assertThat(refused.code()).isEqualTo(8080);
    assertThat(refused.msg()).contains(word);
    assertThat(refused.header("Retry-After")).isEqualTo("1");
  }
}
