package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** However a path is spelled, a request without a key reaches nothing but health. */
@KeyedServer
class PathTricksIT {

  private static final String OPEN = "/actuator/health";
  private static final List<String> CLOSED =
      List.of("/api/task_schedule_cfg/list", "/actuator/prometheus", "/api/probe/a/b/c/d");

  /** What a path may be decorated with; {@code R} stands for it. */
  private static final List<String> DECORATIONS =
      List.of(
          "/R",
          "//R",
          "/.R",
          "/./R",
          "/..R",
          "/x/..R",
          "/;R",
          "/;x=y/..R",
          "/%2eR",
          "/%2e%2eR",
          "/x/%2e%2eR",
          "/x/%2E%2eR",
          "/x/.%2eR",
          "/x/%2e.R",
          "/x/..;aR",
          "/x/..;a=bR",
          "/%2fR",
          "/%5cR",
          "/\\R",
          "R;",
          "R;x",
          "R;x=y",
          "R;jsessionid=1",
          "R//",
          "R/.",
          "R/x/..",
          "R/%2e",
          "R/x/%2e%2e",
          "R/..;/health",
          "R%2f",
          "R%2F",
          "R%5c",
          "R\\",
          "R%00",
          "R%20",
          "R%09",
          "R%0a",
          "R%0d%0a",
          "R%3b",
          "R%3bx",
          "R%3f",
          "R%23",
          "R%25",
          "R%2e",
          "R%2ejson",
          "R%252f",
          "R%252e%252e",
          "R%c0%af",
          "R%u002f",
          "R%",
          "R%zz");

  /** From an open route to a closed one, and back; {@code O} and {@code C} stand for them. */
  private static final List<String> DETOURS =
      List.of(
          "O/../..C",
          "O/..;/..C",
          "O/%2e%2e/%2e%2eC",
          "O/.%2e/%2e.C",
          "O;/../..C",
          "O//../../..C",
          "O%2f..%2f..C",
          "O/..%2f..C",
          "O/./../..C",
          "C/../../../../../..O",
          "C%2f..O",
          "/api/probe/../..O",
          "/api/probe/%2e%2e/%2e%2eO",
          "/api/probe/..;a/..;bO",
          "/api/store/../..O",
          "/swagger-ui/..O",
          "/swagger-ui/%2e%2eO",
          "/swagger-ui/..;O");

  @LocalServerPort int port;
  @Autowired KeyedServer.Probe probe;

  @Test
  void trickIsRefusedBeforeAnybodyLooksAtIt() throws IOException {
    List<String> spellings = new ArrayList<>();
    for (String closed : CLOSED) {
      DECORATIONS.forEach(spelling -> spellings.add(spelling.replace("R", closed)));
      DETOURS.forEach(spelling -> spellings.add(spelling.replace("O", OPEN).replace("C", closed)));
    }
    DECORATIONS.forEach(spelling -> spellings.add(spelling.replace("R", OPEN)));
    assertThat(DECORATIONS.size() + DETOURS.size()).isGreaterThan(60);

    List<String> failures = new ArrayList<>();
    for (String path : spellings) {
      for (String method : List.of("GET", "PUT", "POST")) {
        String answer = answerTo(method, path);
        if (!answer.startsWith("HTTP/1.1 400 ") || !answer.contains("\"code\":8020")) {
          failures.add(method + " " + path + ": " + answer.lines().findFirst().orElse("nothing"));
        }
      }
    }

    assertThat(failures).isEmpty();
    assertThat(probe.calls()).isZero();
  }

  /** Plain, but other names than the open one: nothing is lower-cased or cut off. */
  @Test
  void pathThatOnlyLooksLikeHealthIsClosed() throws IOException {
    for (String path :
        List.of(
            "/ACTUATOR/HEALTH",
            "/Actuator/health",
            "/actuator/Health",
            "/actuator/healthy",
            "/actuator/health.json",
            "/actuator/health..",
            "/actuator/health~",
            "/actuator/health-x",
            "/actuator",
            "/API/task_schedule_cfg/list",
            "/api/Task_schedule_cfg/list",
            "/api/task_schedule_cfg/list/",
            "/actuator/prometheus/",
            "http://localhost:" + port + "/api/task_schedule_cfg/list",
            "http://localhost:" + port + "/actuator/prometheus",
            "/x/actuator/health",
            "/actuator/prometheus/health")) {
      assertThat(answerTo("GET", path)).as(path).containsPattern("^HTTP/1.1 (401|429) ");
    }
    assertThat(probe.calls()).isZero();
  }

  @Test
  void nothingElseThanGoodSpellingIsNeeded() throws IOException {
    assertThat(answerTo("GET", OPEN + "/liveness")).startsWith("HTTP/1.1 200 ");
    assertThat(answerTo("GET", OPEN + "/liveness?a=..//;%2e")).startsWith("HTTP/1.1 200 ");
    assertThat(answerTo("GET", "http://localhost:" + port + OPEN + "/liveness"))
        .startsWith("HTTP/1.1 200 ");
    assertThat(answerTo("GET", OPEN + "/nowhere")).startsWith("HTTP/1.1 404 ");
  }

  private String answerTo(String method, String path) throws IOException {
    String request =
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: localhost:"
            + port
            + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    return RawHttp.send(port, request.getBytes(StandardCharsets.ISO_8859_1));
  }
}
