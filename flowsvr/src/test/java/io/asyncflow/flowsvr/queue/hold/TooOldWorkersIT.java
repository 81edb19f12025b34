package io.asyncflow.flowsvr.queue.hold;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Types that ask for a version of their workers. */
@RunningServer
@Tag("contract")
class TooOldWorkersIT {

  @Autowired Given given;
  @Autowired TaskHolds holds;
  @LocalServerPort int port;
  private Wire wire;
  private TaskType lark;

  @BeforeEach
  void aType() {
    wire = new Wire(port);
    lark = given.aType().with("min_worker_version", 3).create();
  }

  private Given.AHold aHold(int version) {
    return given.aHold(lark).by("v" + version).ofVersion(version);
  }

  @Test
  void onlyWorkersOfTheVersionGetTasks() {
    given.aWaitingTask().ofType(lark).create(2);
    assertThat(aHold(2).now()).isEmpty();
    assertThat(given.aHold(lark).now()).as("without a version").isEmpty();
    assertThat(aHold(2).ofStages("first").now()).isEmpty();
    assertThat(aHold(3).limit(1).now()).hasSize(1);
    assertThat(aHold(4).limit(1).now()).hasSize(1);
  }

  @Test
  void holdThatIsTooOldIsParkedBesideOneThatIsNot() throws Exception {
    CompletableFuture<List<Task>> old = aHold(2).waiting(20, SECONDS);
    CompletableFuture<List<Task>> current = aHold(3).waiting(20, SECONDS);
    given.aWaitingTask().ofType(lark).create();
    assertThat(current.get(20, SECONDS)).hasSize(1);
    assertThat(old).isNotDone();
    old.cancel(false);
  }

  @Test
  void parkedHoldFollowsAChangeOfTheType() throws Exception {
    given.change(lark, "min_worker_version", 0);
    CompletableFuture<List<Task>> parked = aHold(2).waiting(25, SECONDS);
    given.change(lark, "min_worker_version", 3);
    given.aWaitingTask().ofType(lark).create();
    assertThat(aHold(2).now()).isEmpty();
    assertThat(parked).isNotDone();
    given.change(lark, "min_worker_version", 2);
    assertThat(parked.get(20, SECONDS)).as("asked again by itself").hasSize(1);
  }

  @Test
  void lostAnswerIsStillRepeated() {
    given.change(lark, "min_worker_version", 0);
    given.aWaitingTask().ofType(lark).create(2);
    String id = UUID.randomUUID().toString();
    List<Task> held = aHold(2).withId(id).limit(1).now();
    given.change(lark, "min_worker_version", 3);
    List<Task> again = aHold(2).withId(id).limit(1).now();
    assertThat(again).extracting(Task::taskId).containsExactly(held.get(0).taskId());
    assertThat(aHold(2).withId(UUID.randomUUID().toString()).now()).isEmpty();
  }

  @Test
  void answerSaysWhichVersionIsNeeded() {
    String hold = "/api/task/hold_task?taskType=" + lark.name() + "&workerId=w&workerVersion=";
    assertThat(wire.get(hold + 2).result().path("minWorkerVersion").asInt()).isEqualTo(3);
    assertThat(wire.get(hold + 3).result().has("minWorkerVersion")).isFalse();
    Wire.Answer refused = wire.get(hold + "-1");
    assertThat(refused.code()).isEqualTo(8020);
    assertThat(refused.badFields()).containsExactly("workerVersion");
  }

  @Test
  void listShowsForWhichTypesAWorkerIsTooOld() {
    String worker = "w-" + UUID.randomUUID();
    given.change(lark, "min_worker_version", 3); // seen by this server from now on
    String stages = "'stages':['%s/first','other/first']".formatted(lark.name());
    beat(worker, "'version':2," + stages);
    JsonNode listed = listed(worker);
    assertThat(listed.at("/description/version").asInt()).isEqualTo(2);
    assertThat(listed.path("tooOldFor").valueStream().map(JsonNode::asString))
        .containsExactly(lark.name());
    beat(worker, "'version':3," + stages);
    assertThat(listed(worker).path("tooOldFor")).isEmpty();
  }

  @Test
  void descriptionOfAnotherShapeIsListedAsItIs() {
    String worker = "w-" + UUID.randomUUID();
    given.change(lark, "min_worker_version", 3); // seen by this server from now on
    beat(worker, "'version':{'a':1},'stages':['%s/first']".formatted(lark.name()));
    assertThat(listed(worker).path("tooOldFor").valueStream().map(JsonNode::asString))
        .as("as if it told no version")
        .containsExactly(lark.name());
    beat(worker, "'version':'x','stages':[1,null,'noslash',{}]");
    assertThat(listed(worker).path("tooOldFor")).isEmpty();
  }

  private void beat(String worker, String description) {
    Wire.Answer answer =
        wire.post(
            "/api/worker/heartbeat",
            "{'workerId':'%s','tasks':[],'worker':{%s}}".formatted(worker, description));
    assertThat(answer.code()).isZero();
  }

  private JsonNode listed(String worker) {
    return wire.get("/api/worker/list?limit=1000")
        .result()
        .path("workerList")
        .valueStream()
        .filter(row -> row.path("workerId").asString().equals(worker))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void holdsThatAreTooOldAreCountedAsParked() {
    int before = holds.parked();
    CompletableFuture<List<Task>> old = aHold(2).waiting(20, SECONDS);
    await().atMost(20, SECONDS).until(() -> holds.parked() > before);
    old.cancel(false);
  }
}
