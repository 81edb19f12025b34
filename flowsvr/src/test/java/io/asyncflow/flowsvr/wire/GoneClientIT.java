package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Clients that go away: while their hold is parked, and in the middle of a body. */
@RunningServer
@ExtendWith(OutputCaptureExtension.class)
class GoneClientIT {

  @LocalServerPort int port;
  @Autowired TaskHolds holds;

  /** A client whose hold is parked. */
  private Socket parked(String query) throws Exception {
    int before = holds.parked();
    Socket client = new Socket("127.0.0.1", port);
    client.getOutputStream().write(request("/api/task/hold_task?waitMs=30000&" + query));
    await().until(() -> holds.parked() == before + 1);
    return client;
  }

  /** Closes the connection as a killed client behind a proxy does. */
  private static void reset(Socket client) throws Exception {
    client.setSoLinger(true, 0);
    client.close();
  }

  private String create(Wire wire, String type) {
    return wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'%s','taskStage':'s','taskContext':''}}"
                .formatted(type))
        .result()
        .path("taskId")
        .asString();
  }

  private static JsonNode task(Wire wire, String id) {
    return wire.get("/api/task/getTask?taskId=" + id).result().path("taskData");
  }

  @Test
  void clientsThatHangUpOneAfterTheOtherCostATaskNothing(CapturedOutput output) throws Exception {
    Wire wire = new Wire(port);
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'gone','max_retry_num':0}");
    int before = holds.parked();
    Socket closed = parked("taskType=gone");
    Socket reset = parked("taskType=gone");
    Socket named = parked("taskType=gone&workerId=gone");
    closed.close();
    reset(reset);
    reset(named);
    String id = create(wire, "gone"); // before the server looks at the connections, or after

    await().until(() -> holds.parked() == before && task(wire, id).path("status").asInt() == 1);
    assertThat(task(wire, id).path("crtRetryNum").asInt()).isZero();
    Wire.Answer next = wire.get("/api/task/hold_task?taskType=gone&workerId=next&waitMs=20000");
    assertThat(next.result().at("/taskList/0/taskId").asString("")).isEqualTo(id);
    assertThat(output.getAll().lines().filter(line -> line.startsWith("\tat "))).isEmpty();
  }

  @Test
  void parkedHoldEndsSoonAfterItsClientHangsUp() throws Exception {
    Wire wire = new Wire(port);
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'none_yet'}");
    int before = holds.parked();
    Socket closed = parked("taskType=none_yet");
    Socket reset = parked("taskType=none_yet&workerId=w&holdId=h");
    closed.close();
    reset(reset);
    await().until(() -> holds.parked() == before);
  }

  @Test
  void whatAHoldWithAnIdWasGivenWaitsForItsRepeat() throws Exception {
    Wire wire = new Wire(port);
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'gone_with_id'}");
    String hold = "taskType=gone_with_id&workerId=w&holdId=h";
    int before = holds.parked();
    parked(hold).close();
    String id = create(wire, "gone_with_id");
    await().until(() -> holds.parked() == before); // given the task, or ended before

    Wire.Answer repeat = wire.get("/api/task/hold_task?waitMs=20000&" + hold);
    assertThat(repeat.result().at("/taskList/0/taskId").asString("")).isEqualTo(id);
    assertThat(repeat.result().at("/taskList/0/leaseEpoch").asInt())
        .as("2 if it was ended during its claim")
        .isIn(1, 2);
  }

  @Test
  void clientThatHasEndedItsHalfOfTheConnectionIsToldOfNoTasksThatAreReleased() throws Exception {
    Wire wire = new Wire(port);
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'half'}");
    try (Socket client = parked("taskType=half")) {
      client.shutdownOutput();
      String id = create(wire, "half");

      client.setSoTimeout(60_000);
      String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200 ").contains("\"taskList\":[]");
      assertThat(task(wire, id).path("status").asInt()).isEqualTo(1);
    }
  }

  private static byte[] request(String path) {
    return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void clientThatAsksAheadIsNotTakenForGone() throws Exception {
    Wire wire = new Wire(port);
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'ahead'}");
    try (Socket client = parked("taskType=ahead")) {
      client.getOutputStream().write(request("/actuator/health/liveness"));
      String id = create(wire, "ahead");

      client.setSoTimeout(60_000);
      StringBuilder answers = new StringBuilder();
      byte[] some = new byte[4_096];
      while (!answers.toString().contains("UP")) {
        int count = client.getInputStream().read(some);
        assertThat(count).isPositive();
        answers.append(new String(some, 0, count, StandardCharsets.UTF_8));
      }
      assertThat(answers).contains(id);
      assertThat(task(wire, id).path("status").asInt()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/api/task/createTask, application/json",
    "/api/task/cancel, application/x-www-form-urlencoded",
    "/api/worker/heartbeat, application/json",
    "/api/job/createJob, application/json"
  })
  void bodyThatBreaksOffIsRefusedAndNoBugOfOurs(String path, String type, CapturedOutput output)
      throws Exception {
    String half =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\n{\"ta"
            .formatted(path, type);
    String answer;
    try (Socket client = new Socket("127.0.0.1", port)) {
      client.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
      client.shutdownOutput();
      client.setSoTimeout(60_000);
      answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("\"code\":8021", "it broke off");
    assertThat(output.getAll().lines().filter(line -> line.startsWith("\tat "))).isEmpty();
  }
}
