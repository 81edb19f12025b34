package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskType;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * A web page that talks to a developer's server, which has no key: what browsers send for it is
 * refused and changes nothing. The headers are those that browsers were seen to send.
 */
@RunningServer
class CrossSiteIT {

  private static final String FORM = "Content-Type: application/x-www-form-urlencoded";
  private static final String EVIL = "Origin: https://evil.example";

  /** What each browser sends along with a form that a foreign page posts. */
  private static final List<List<String>> FORM_POSTS =
      List.of(
          List.of(
              EVIL,
              "Sec-Fetch-Site: cross-site",
              "Sec-Fetch-Mode: navigate",
              "Sec-Fetch-User: ?1",
              "Sec-Fetch-Dest: document",
              "Referer: https://evil.example/",
              "Upgrade-Insecure-Requests: 1",
              "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36"),
          List.of(
              EVIL,
              "Sec-Fetch-Dest: document",
              "Sec-Fetch-Mode: navigate",
              "Sec-Fetch-Site: cross-site",
              "Priority: u=0, i",
              "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Firefox/133.0"),
          List.of(
              EVIL,
              "Sec-Fetch-Site: cross-site",
              "Sec-Fetch-Dest: document",
              "Sec-Fetch-Mode: navigate",
              "User-Agent: Mozilla/5.0 (Macintosh) Version/18.1 Safari/605.1.15"),
          List.of(EVIL, "User-Agent: Mozilla/5.0 (Macintosh) Version/15.6 Safari/605.1.15"),
          List.of("Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"),
          List.of("Origin: null"),
          List.of("Origin: http://localhost:3000", "Sec-Fetch-Site: same-site"),
          List.of("Origin: http://localhost", "Sec-Fetch-Site: same-origin"),
          List.of("Referer: http://evil.example/page"),
          List.of("Referer: http://localhost:3000/"),
          List.of("Referer: about:blank"));

  /** What each browser sends along with an image, a script or a style. */
  private static final List<List<String>> IMAGES =
      List.of(
          List.of(
              "Sec-Fetch-Site: cross-site",
              "Sec-Fetch-Mode: no-cors",
              "Sec-Fetch-Dest: image",
              "Referer: https://evil.example/"),
          List.of("Sec-Fetch-Dest: image", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Site: same-site"),
          List.of("Referer: https://evil.example/"));

  /** Names that a page can have of its own and let point to this machine. */
  private static final List<String> REBOUND =
      List.of(
          "rebind.evil.example",
          "localhost.evil.example",
          "127.0.0.1.evil.example",
          "127.evil.example",
          "evil-localhost",
          "notlocalhost",
          "10.0.0.1",
          "0.0.0.0",
          "[::2]",
          "localhost.localdomain");

  @LocalServerPort int port;
  @Autowired Given given;

  private Wire wire;
  private TaskType type;
  private String waiting;

  @BeforeEach
  void aTaskWaits() {
    wire = new Wire(port);
    type = given.aType().create();
    waiting = given.aWaitingTask().ofType(type).create().toString();
  }

  @Test
  void pageCannotChangeOrTakeAnything() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (List<String> headers : FORM_POSTS) {
      expect(403, wrong, post("/api/task_schedule_cfg/save", headers, FORM, "task_type=forged"));
      String pause = "task_type=" + type.name() + "&paused=1";
      expect(403, wrong, post("/api/task_schedule_cfg/save", headers, FORM, pause));
      expect(403, wrong, post("/api/task/createTask", headers, FORM, newTask()));
      String act = "taskId=" + waiting + "&status=8&reason=forged&operator=ann";
      expect(403, wrong, post("/api/task/setStatus", headers, FORM, act));
    }
    for (List<String> headers : IMAGES) {
      String hold = "/api/task/hold_task?taskType=" + type.name() + "&workerId=w";
      expect(403, wrong, send("GET", hold, local(), headers, ""));
      expect(403, wrong, send("GET", "/actuator/prometheus", local(), headers, ""));
    }
    List<String> noCors = List.of(EVIL, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors");
    String cancel = "{\"taskId\":\"" + waiting + "\"}";
    expect(403, wrong, post("/api/task/cancel", noCors, "Content-Type: text/plain", cancel));
    expect(403, wrong, post("/api/task/cancel", noCors, "X-Untyped: blob", cancel));

    assertThat(wrong).isEmpty();
    assertNothingChanged();
  }

  @Test
  void everyMethodIsGuarded() throws IOException {
    List<String> wrong = new ArrayList<>();
    List<String> preflight =
        List.of(
            EVIL,
            "Sec-Fetch-Site: cross-site",
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: content-type");
    for (String method : List.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")) {
      for (String path : List.of("/api/task/cancel", "/v3/api-docs", "/swagger-ui", "/nowhere")) {
        expect(403, wrong, send(method, path, local(), preflight, ""));
      }
    }
    List<String> webSocket =
        List.of(EVIL, "Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==");
    expect(403, wrong, send("GET", "/api/job/progress?jobId=1", local(), webSocket, ""));

    assertThat(wrong).isEmpty();
    assertThat(send("OPTIONS", "/api/task/cancel", local(), preflight, ""))
        .doesNotContain("Access-Control-Allow");
  }

  @Test
  void nameThatPointsHereIsNotThisServer() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String name : REBOUND) {
      String host = name + ":" + port;
      // To its browser such a page is of one origin with the server.
      List<String> headers = List.of("Origin: http://" + host, "Sec-Fetch-Site: same-origin");
      String save = "/api/task_schedule_cfg/save?task_type=forged";
      expect(421, wrong, send("POST", save, host, headers, ""));
      expect(421, wrong, send("GET", "/api/task_schedule_cfg/list", host, headers, ""));
      expect(421, wrong, send("GET", "/actuator/prometheus", host, List.of(), ""));
      expect(421, wrong, send("GET", "/v3/api-docs", name, List.of(), ""));
    }
    assertThat(wrong).isEmpty();
    assertNothingChanged();
  }

  @Test
  void toolsAndTheServersOwnPagesPass() throws IOException {
    String list = "/api/task_schedule_cfg/list";
    for (String host :
        List.of("localhost", "LOCALHOST", "flow.localhost", "127.0.0.1", "127.1.2.3", "[::1]")) {
      assertThat(send("GET", list, host + ":" + port, List.of(), "")).as(host).contains(" 200 ");
      assertThat(send("GET", list, host, List.of(), "")).as(host).contains(" 200 ");
    }
    String own = "localhost:" + port;
    for (List<String> headers :
        List.of(
            List.of("User-Agent: curl/8.5.0", "Accept: */*"),
            List.of("User-Agent: Prometheus/2.53.0", "X-Prometheus-Scrape-Timeout-Seconds: 10"),
            List.of("Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"),
            List.of("Origin: http://" + own, "Sec-Fetch-Site: same-origin"),
            List.of("Origin: https://" + own), // behind a proxy that ends TLS on this machine
            List.of("Referer: http://" + own + "/swagger-ui/index.html"))) {
      assertThat(send("GET", list, own, headers, "")).as(headers.toString()).contains(" 200 ");
    }
    FlowClient sdk = new HttpFlowClient(URI.create("http://" + own), null, Duration.ofSeconds(30));
    assertThat(sdk.getTask(waiting).taskId()).isEqualTo(waiting);
    String withoutHost = "GET " + list + " HTTP/1.0\r\n\r\n";
    assertThat(RawHttp.send(port, withoutHost.getBytes(StandardCharsets.US_ASCII)))
        .contains(" 200 ");
  }

  @Test
  void healthIsForEverybody() throws IOException {
    String liveness = "/actuator/health/liveness";
    assertThat(send("GET", liveness, "balancer.example", List.of(EVIL), "")).contains(" 200 ");
  }

  private void assertNothingChanged() {
    var task = wire.get("/api/task/getTask?taskId=" + waiting).result().path("taskData");
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("leaseEpoch").asInt()).isZero();
    String types = wire.get("/api/task_schedule_cfg/list").http().body();
    assertThat(types).doesNotContain("forged");
    var own = wire.get("/api/task/getTaskList?taskType=" + type.name()).result().path("taskList");
    assertThat(own).hasSize(1);
    given.aHold(type).theTask(); // the type is not paused
  }

  private String newTask() {
    return "taskData.userId=u&taskData.taskStage=s&taskData.taskContext=forged&taskData.taskType="
        + type.name();
  }

  private String local() {
    return "localhost:" + port;
  }

  private static void expect(int status, List<String> wrong, String answer) {
    boolean isHead = answer.endsWith("\r\n\r\n");
    boolean isRefused =
        answer.startsWith("HTTP/1.1 " + status + " ")
            && (isHead || answer.contains("\"code\":8074"));
    if (!isRefused) {
      wrong.add(answer);
    }
  }

  private String post(String path, List<String> headers, String header, String body)
      throws IOException {
    List<String> all = new ArrayList<>(headers);
    all.add(header);
    return send("POST", path, local(), all, body);
  }

  private String send(String method, String path, String host, List<String> headers, String body)
      throws IOException {
    StringBuilder request = new StringBuilder();
    request.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
    request.append("Host: ").append(host).append("\r\nConnection: close\r\n");
    headers.forEach(header -> request.append(header).append("\r\n"));
    request.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
    return RawHttp.send(port, request.toString().getBytes(StandardCharsets.US_ASCII));
  }
}
