package io.asyncflow.flowsvr.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

@RunningServer
@Tag("contract")
class WorkerRegistryIT {

  @LocalServerPort int port;
  @Autowired WorkerRegistry workers;
  @Autowired JdbcClient jdbc;

  private Wire wire;
  private String worker;

  @BeforeEach
  void newWorker() {
    wire = new Wire(port);
    worker = "w-" + UUID.randomUUID();
  }

  private JsonNode beat(String rest) {
    JsonNode result = beatUnwritten(rest);
    workers.runOnce();
    return result;
  }

  private JsonNode beatUnwritten(String rest) {
    return wire.post(
            "/api/worker/heartbeat", "{'workerId':'" + worker + "','tasks':[]" + rest + "}")
        .result();
  }

  private JsonNode listed() {
    return wire.get("/api/worker/list?limit=1000")
        .result()
        .path("workerList")
        .valueStream()
        .filter(w -> w.path("workerId").asString().equals(worker))
        .findFirst()
        .orElse(null);
  }

  @Test
  void aWorkerIsListedWithWhatItSaysOfItself() {
    beat(
        ",'worker':{'host':'gpu-1','sdkVersion':'1.2','labels':{'gpu':'a100'},'freeSlots':{'cpu':1}}");

    assertThat(listed().path("state").asString()).isEqualTo("alive");
    assertThat(listed().path("host").asString()).isEqualTo("gpu-1");
    assertThat(listed().path("sdkVersion").asString()).isEqualTo("1.2");
    assertThat(listed().at("/description/labels/gpu").asString()).isEqualTo("a100");
  }

  @Test
  void aWorkerIsListedFromItsFirstBeatOn() {
    beatUnwritten("");

    assertThat(listed().path("state").asString()).isEqualTo("alive");
  }

  @Test
  void aWorkerCanBeDrainedFromItsFirstBeatOn() {
    beatUnwritten("");

    assertThat(wire.post("/api/worker/drain", "{'workerId':'" + worker + "'}").code()).isZero();
    assertThat(beatUnwritten("").path("drain").asBoolean()).isTrue();
  }

  @Test
  void aBeatThatSaysNothingOfTheWorkerLeavesWhatItSaidBefore() {
    beat(",'worker':{'host':'gpu-1','labels':{'a':'b'}}");
    beat("");

    assertThat(listed().path("host").asString()).isEqualTo("gpu-1");
    assertThat(listed().at("/description/labels/a").asString()).isEqualTo("b");
  }

  @Test
  void aWorkerThatHasBeenSilentIsLost() {
    beat("");
    jdbc.sql("UPDATE t_worker SET beat_time = beat_time - 31000 WHERE worker_id = :worker")
        .param("worker", worker)
        .update();

    assertThat(listed().path("state").asString()).isEqualTo("lost");
  }

  @Test
  void aDrainIsToldByTheHeartbeatAndCanBeTakenBack() {
    assertThat(beat("").path("drain").asBoolean()).isFalse();

    assertThat(wire.post("/api/worker/drain", "{'workerId':'" + worker + "'}").code()).isZero();
    beat("");
    assertThat(beat("").path("drain").asBoolean()).isTrue();
    assertThat(listed().path("state").asString()).isEqualTo("draining");

    wire.post("/api/worker/drain", "{'workerId':'" + worker + "','undo':1}");
    beat("");
    assertThat(beat("").path("drain").asBoolean()).isFalse();
  }

  @Test
  void drainingAWorkerThatNobodyKnowsIsRefused() {
    Wire.Answer answer = wire.post("/api/worker/drain", "{'workerId':'nobody'}");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.badFields()).containsExactly("workerId");
  }

  @Test
  void workersSilentForADayAreForgotten() {
    beat("");
    jdbc.sql("UPDATE t_worker SET beat_time = beat_time - 90000000 WHERE worker_id = :worker")
        .param("worker", worker)
        .update();

    assertThat(workers.forgetSilent()).isPositive();
    assertThat(listed()).isNull();
  }
}
