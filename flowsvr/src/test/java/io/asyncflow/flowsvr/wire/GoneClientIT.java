package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.lease.TaskHolds;
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

/** Clients that go away: while their hold is parked, and in the middle of a body. */
@RunningServer
@ExtendWith(OutputCaptureExtension.class)
class GoneClientIT {

  @LocalServerPort int port;
  @Autowired TaskHolds holds;

  @Test
  void leavesNoTraceInTheLogAndItsTaskIsNotLost(CapturedOutput output) throws Exception {
    Wire wire = new Wire(port);
    wire.post(
        "/api/task_schedule_cfg/save", "{'task_type':'gone','lease_seconds':1,'max_retry_num':0}");
    int before = holds.parked();
    try (Socket client = new Socket("127.0.0.1", port)) {
      client.setSoLinger(true, 0); // closes with a reset, as a killed client behind a proxy does
      String hold = "GET /api/task/hold_task?taskType=gone&workerId=gone&waitMs=30000 HTTP/1.1";
      client
          .getOutputStream()
          .write((hold + "\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      await().until(() -> holds.parked() == before + 1);
    }
    Wire.Answer created =
        wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'gone','taskStage':'s','taskContext':''}}");
    String id = created.result().path("taskId").asString();

    // Held for the client that is gone, given back when its lease has run out, no retry burnt.
    await()
        .until(
            () -> wire.get("/api/task/getTask?taskId=" + id).result().at("/taskData/status"),
            status -> status.asInt() == 2);
    Wire.Answer again = wire.get("/api/task/hold_task?taskType=gone&workerId=next&waitMs=20000");
    assertThat(again.result().at("/taskList/0/taskId").asString("")).isEqualTo(id);
    assertThat(again.result().at("/taskList/0/crtRetryNum").asInt()).isZero();
    assertThat(output.getAll().lines().filter(line -> line.startsWith("\tat "))).isEmpty();
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
