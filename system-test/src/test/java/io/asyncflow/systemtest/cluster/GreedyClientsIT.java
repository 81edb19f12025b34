package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.GreedyClients.Act;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Clients that do not read, that hardly send, and whose bodies never end, with and without a key:
 * what the others notice.
 */
@Tag("faults")
@Timeout(900)
class GreedyClientsIT {

  private static final String KEY = "d41f8cd98f00b2e9800998ecf8427e4a";

  /** As {@code ./asyncflow dev} gives it. */
  private static final String HEAP = "512m";

  private static final Duration BEFORE = Duration.ofSeconds(5);
  private static final Duration ATTACK = Duration.ofSeconds(8);
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  /** On a machine with much else to do, one or the other answer waits for its turn. */
  private static final Duration AT_LATEST = Duration.ofSeconds(5);

  private static final int LONG = 16 * 1024 * 1024 - 1;

  /** What the server takes of a body that it refuses. */
  private static final int TAKEN = 64 * 1024;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Map<String, List<Duration>> usual = new HashMap<>();
  private ServerNode server;

  @ParameterizedTest
  @ValueSource(strings = {"key", "keys"})
  void othersGoOn(String mode) throws Exception {
    try (Cluster cluster = Cluster.startWithoutRedis("greedy-" + mode)) {
      server =
          cluster.startServer(
              plan ->
                  plan.withHeap(HEAP)
                      .withAll(
                          Map.of(
                              "FLOW_ACCESS",
                              mode,
                              "FLOW_API_KEY",
                              KEY,
                              "FLOW_KEY_PEPPER",
                              KEY + KEY)));
      new HttpFlowClient(server.url(), KEY).saveTaskType(TaskTypeSettings.named("greedy"));
      boolean hasKeys = mode.equals("keys");
      String greedy = hasKeys ? newKey("greedy", "READER", "WORKER") : KEY;
      String other = hasKeys ? newKey("other", "SUBMITTER", "WORKER") : KEY;
      for (int i = 0; i < 10; i++) {
        createSome(other);
      }
      probe(other, BEFORE, usual, true); // warms up
      usual.clear();
      probe(other, BEFORE, usual, true);
      print(mode, "nobody else", usual);

      for (Map.Entry<String, Act> attack : acts(greedy).entrySet()) {
        boolean isOfAnother = hasKeys || !attack.getKey().contains("with a key");
        int count = attack.getValue().bytes() > 1_000_000 ? 250 : 400;
        attack(mode, attack.getKey(), count, attack.getValue(), other, isOfAnother);
      }
    }
  }

  private static Map<String, Act> acts(String key) {
    String host = " HTTP/1.1\r\nHost: a\r\n";
    String withKey = host + "Authorization: Bearer " + key + "\r\n";
    String json = "Content-Type: application/json\r\nContent-Length: ";
    String css = "GET /console/static/x/console.css";
    String live = "GET /actuator/health/liveness";
    String list = "GET /api/task/getTaskList?taskType=greedy&limit=1000";
    Map<String, Act> acts = new LinkedHashMap<>();
    acts.put(
        "do not read",
        new Act((css + host + "\r\n").repeat(20) + (live + host + "\r\n").repeat(100), 0, 1));
    acts.put(
        "do not read, with a key",
        new Act(
            (list + withKey + "\r\n").repeat(3)
                + ("GET /api/task_schedule_cfg/list" + withKey + "\r\n").repeat(100),
            0,
            1));
    acts.put(
        "hardly send",
        new Act(
            "POST /console/login"
                + host
                + "Content-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 60000\r\n\r\n"
                + "key=",
            1_000,
            1));
    acts.put(
        "hardly send, with a key",
        new Act("POST /api/task/createTask" + withKey + json + "60000\r\n\r\n{", 1_000, 1));
    acts.put(
        "hardly send heartbeats, with a key",
        new Act("POST /api/worker/heartbeat" + withKey + json + "60000\r\n\r\n{", 1_000, 1));
    acts.put(
        "send bodies without an end, with a key",
        new Act("POST /api/key/me" + withKey + json + LONG + "\r\n\r\n{", LONG - 2, 1 << 20));
    return acts;
  }

  private void attack(
      String mode, String what, int count, Act act, String other, boolean isOfAnother)
      throws Exception {
    // What the clients cost on this machine, whose cores they share with the server.
    Map<String, List<Duration>> control = new HashMap<>();
    try (ByteSink elsewhere = new ByteSink(TAKEN);
        GreedyClients clients = new GreedyClients(elsewhere.port(), count, act)) {
      probe(other, BEFORE, control, isOfAnother);
    }
    print(mode, count + " clients " + what + ", to another program", control);
    Map<String, List<Duration>> times = new HashMap<>();
    try (GreedyClients clients = new GreedyClients(server.port(), count, act)) {
      probe(other, Duration.ofSeconds(3), new HashMap<>(), isOfAnother); // until all are there
      probe(other, ATTACK, times, isOfAnother);
    }
    print(mode, count + " clients " + what, times);
    assertThat(server.isReady()).as("the server lives").isTrue();
    for (String call : List.of("liveness", "heartbeat")) {
      assertThat(part(times.get(call), 95)).as(what + ": " + call).isLessThan(AT_ONCE);
      assertThat(part(times.get(call), 100)).as(what + ": " + call).isLessThan(AT_LATEST);
    }
    if (isOfAnother) {
      for (String call : List.of("create", "hold")) {
        assertThat(part(times.get(call), 95))
            .as(what + ": " + call)
            .isLessThan(part(usual.get(call), 99).multipliedBy(2).plusMillis(500));
      }
    }
  }

  /**
   * @param isOfAnother or heartbeats of that key may be refused, too
   */
  private void probe(
      String key, Duration span, Map<String, List<Duration>> times, boolean isOfAnother)
      throws Exception {
    Stopwatch watch = Stopwatch.start();
    while (watch.elapsed().compareTo(span) < 0) {
      call(times, "liveness", null, "/actuator/health/liveness", null, false);
      call(
          times,
          "heartbeat",
          key,
          "/api/worker/heartbeat",
          "{\"workerId\":\"w\",\"tasks\":[]}",
          !isOfAnother);
      call(times, "create", key, "/api/task/createTask", "{\"taskData\":" + task() + "}", true);
      call(
          times,
          "hold",
          key,
          "/api/task/hold_task",
          "{\"taskType\":\"greedy\",\"workerId\":\"w\",\"limit\":1}",
          true);
    }
  }

  private static String task() {
    return "{\"userId\":\"u\",\"taskType\":\"greedy\",\"taskStage\":\"s\",\"taskContext\":\""
        + "x".repeat(500)
        + "\"}";
  }

  private void createSome(String key) throws Exception {
    String tasks = String.join(",", Collections.nCopies(100, task()));
    send(key, "/api/task/createTasks", "{\"taskDataList\":[" + tasks + "]}");
  }

  private void call(
      Map<String, List<Duration>> times,
      String name,
      String key,
      String path,
      String body,
      boolean mayBeRefused)
      throws Exception {
    Stopwatch watch = Stopwatch.start();
    HttpResponse<String> answer = send(key, path, body);
    if (mayBeRefused && answer.statusCode() == 429) {
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      name += " (429)";
    } else {
      assertThat(answer.statusCode()).as(name + ": " + answer.body()).isEqualTo(200);
    }
    times.computeIfAbsent(name, none -> new ArrayList<>()).add(watch.elapsed());
  }

  private HttpResponse<String> send(String key, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofSeconds(15));
    if (key != null) {
      request.header("Authorization", "Bearer " + key).header("Content-Type", "application/json");
    }
    if (body != null) {
      request.POST(BodyPublishers.ofString(body));
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private String newKey(String name, String... roles) throws Exception {
    String body = JSON.writeValueAsString(Map.of("name", name, "roles", roles));
    return JSON.readTree(send(KEY, "/api/key/create", body).body())
        .path("result")
        .path("key")
        .asString();
  }

  /** So many per cent took no longer; none where there was none. */
  private static Duration part(List<Duration> times, int perCent) {
    if (times == null) {
      return Duration.ZERO;
    }
    List<Duration> sorted = times.stream().sorted().toList();
    return sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * perCent / 100.0) - 1));
  }

  private static void print(String mode, String what, Map<String, List<Duration>> times) {
    times.forEach(
        (call, each) ->
            Figures.print(
                "mode %s, %s: %s %d times, p50 %d ms, p99 %d ms, longest %d ms",
                mode,
                what,
                call,
                each.size(),
                Figures.ms(part(each, 50)),
                Figures.ms(part(each, 99)),
                Figures.ms(part(each, 100))));
  }
}
