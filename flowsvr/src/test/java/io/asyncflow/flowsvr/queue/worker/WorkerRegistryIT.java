package io.asyncflow.flowsvr.queue.worker;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.hold.OpenHolds;
import io.asyncflow.flowsvr.queue.worker.WorkerStageStore.Served;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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
  @Autowired WorkerStore store;
  @Autowired WorkerStageStore stageStore;
  @Autowired OpenHolds holds;
  @Autowired JdbcClient jdbc;
  @Autowired Given given;

  private Wire wire;
  private String worker;
  private TaskType type;

  @BeforeEach
  void newWorker() {
    type = given.aType().create();
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
  void stagesAreThoseOfTheLastBeatThatNamesThem() {
    beat(",'worker':{'stages':['Lark/sing','lark/a/b','lark/','noslash','no type/x',7]}");
    assertThat(stages()).containsExactlyInAnyOrder("lark/sing", "lark/a/b");
    beat(",'worker':{'stages':['lark/sing','lark/nest']}");
    assertThat(stages()).containsExactlyInAnyOrder("lark/sing", "lark/nest");
    beat(",'worker':{'host':'gpu-1'}");
    beat("");
    assertThat(stages()).hasSize(2);
    beat(",'worker':{'stages':[]}");
    assertThat(stages()).isEmpty();
  }

  @Test
  void stagesThatAreNoListAreRefused() {
    for (String stages : List.of("'lark/sing,lark/nest'", "{'lark':'sing'}", "7")) {
      Wire.Answer answer =
          wire.post(
              "/api/worker/heartbeat",
              "{'workerId':'%s','tasks':[],'worker':{'stages':%s}}".formatted(worker, stages));
      assertThat(answer.code()).isEqualTo(8020);
      assertThat(answer.badFields()).containsExactly("worker.stages");
    }
    beat(",'worker':{'stages':null}");
  }

  @Test
  void stagesGoWithTheirWorker() {
    beat(",'worker':{'stages':['lark/sing']}");
    set("beat_time = beat_time - 90000000");
    workers.forgetSilent();
    assertThat(stages()).isEmpty();
  }

  @Test
  void stagesOfAWorkerThatJustStartedAreWrittenAtOnce() {
    beatUnwritten(",'startId':'s1','worker':{'stages':['lark/sing']}");
    await().atMost(5, SECONDS).until(() -> !stages().isEmpty());
  }

  private List<String> stages() {
    return jdbc.sql(
            "SELECT CONCAT(task_type, '/', task_stage) FROM t_worker_stage WHERE worker_id = ?")
        .param(worker)
        .query(String.class)
        .list();
  }

  @Test
  void aWorkerThatHasBeenSilentIsLost() {
    beat("");
    set("beat_time = beat_time - 31000");

    assertThat(listed().path("state").asString()).isEqualTo("lost");
  }

  @Test
  void aWorkerThatSaysThatItHasStoppedIsNotLost() {
    beat(",'worker':{'states':{'worker':'STOPPED'}}");
    assertThat(listed().path("state").asString()).isEqualTo("stopped");
    set("beat_time = beat_time - 31000");
    assertThat(listed().path("state").asString()).isEqualTo("stopped");

    beat(",'worker':{'states':{'worker':'RUNNING'}}");
    assertThat(listed().path("state").asString()).isEqualTo("alive");
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
  void aParkedHoldKeepsAWorkerAliveAndSaysNothingElseOfIt() {
    beat(",'worker':{'host':'gpu-1','labels':{'a':'b'}}");
    set("held_tasks = 3");
    CompletableFuture<Wire.Answer> parked = hold(30_000);
    await().until(() -> holds.seenWorkers().contains(worker));

    for (int round = 0; round < 2; round++) {
      set("beat_time = beat_time - 31000");
      assertThat(listed().path("state").asString()).isEqualTo("alive");
    }
    assertThat(listed().path("heldTasks").asInt()).isEqualTo(3);
    assertThat(listed().path("host").asString()).isEqualTo("gpu-1");
    assertThat(listed().at("/description/labels/a").asString()).isEqualTo("b");
    drain("");
    assertThat(parked.join().status()).isEqualTo(200);
  }

  @Test
  void aHoldThatIsAnsweredAtOnceIsASignOfLife() {
    beat("");
    set("beat_time = beat_time - 31000");
    hold(0).join();
    assertThat(listed().path("state").asString()).isEqualTo("alive");
  }

  @Test
  void aHoldMakesNoWorkerKnownThatHasNeverBeaten() {
    hold(0).join();
    assertThat(listed()).isNull();
    assertThat(drain("").status()).isEqualTo(400);
  }

  @Test
  void aDrainEndsAParkedHoldAndLaterOnesParkAsEver() {
    beat("");
    CompletableFuture<Wire.Answer> parked = hold(30_000);
    await().until(() -> holds.seenWorkers().contains(worker));
    assertThat(drain("").code()).isZero();
    JsonNode told = parked.orTimeout(20, SECONDS).join().result();
    assertThat(told.path("taskList")).isEmpty();
    assertThat(told.path("drain").asBoolean()).isTrue();

    long begin = System.nanoTime();
    assertThat(hold(1_000).join().result().path("drain").asBoolean()).isTrue();
    assertThat(System.nanoTime() - begin).isGreaterThan(MILLISECONDS.toNanos(900));

    drain(",'undo':1");
    assertThat(hold(0).join().result().propertyNames()).containsExactly("taskList");
  }

  @Test
  void drainThatIsTakenBackElsewhereIsForgottenByAServerThatHearsOfNobody() {
    beat("");
    drain("");
    set("drain = 0"); // by another server, which hears of the worker from now on
    workers.runOnce();
    assertThat(hold(0).join().result().propertyNames()).containsExactly("taskList");
  }

  @Test
  void aDrainIsForTheProcessThatWasThereAndNotForTheNextOneUnderItsId() {
    beat(",'startId':'start-1'");
    drain("");
    assertThat(beat(",'startId':'start-1'").path("drain").asBoolean()).isTrue();

    // Its hold may come before its first beat, and its first beat before that is written.
    String hold =
        "/api/task/hold_task?taskType=%s&workerId=%s&startId=start-2"
            .formatted(type.name(), worker);
    assertThat(wire.get(hold).result().propertyNames()).containsExactly("taskList");
    assertThat(beat(",'startId':'start-2'").path("drain").asBoolean()).isFalse();
    assertThat(listed().path("state").asString()).isEqualTo("alive");

    drain("");
    assertThat(beat(",'startId':'start-2'").path("drain").asBoolean()).isTrue();
    assertThat(listed().path("state").asString()).isEqualTo("draining");
    assertThat(wire.get(hold).result().path("drain").asBoolean()).isTrue();
  }

  /** Two servers write what they were told some seconds ago, in any order. */
  @Test
  void aBeatOfAnEarlierStartThatIsWrittenLateEndsNoDrain() {
    written("start-1", 29_000);
    written("start-2", 1_000);
    drain("");

    written("start-1", 25_000);

    assertThat(listed().path("state").asString()).isEqualTo("draining");
    assertThat(beat(",'startId':'start-2'").path("drain").asBoolean()).isTrue();
    assertThat(beat(",'startId':'start-3'").path("drain").asBoolean()).isFalse();
    assertThat(listed().path("state").asString()).isEqualTo("alive");
  }

  @Test
  void aStartIsKnownByItsBeatAlthoughItsHoldCameSince() {
    written("start-1", 9_000);
    drain("");
    store.markAlive(Set.of(worker));

    written("start-2", 5_000);

    assertThat(listed().path("state").asString()).isEqualTo("alive");
    drain("");
    assertThat(beat(",'startId':'start-2'").path("drain").asBoolean()).isTrue();
  }

  /** A worker that is stopped and started again beats last and first at different servers. */
  @Test
  void farewellThatIsWrittenLateLeavesTheStagesOfTheNextStart() {
    Served sing = new Served(TaskType.parse("lark").orElseThrow(), "sing");
    written("start-1", 9_000, Set.of(sing));
    written("start-2", 5_000, Set.of(sing));

    written("start-1", 7_000, Set.of());
    assertThat(stages()).containsExactly("lark/sing");

    written("", 4_000, Set.of());
    assertThat(stages()).as("of a program that does not tell its starts apart").isEmpty();
  }

  private void written(String startId, long ageMs) {
    written(startId, ageMs, Set.of());
  }

  /** As by any server. */
  private void written(String startId, long ageMs, Set<Served> served) {
    WorkerBeat beat = new WorkerBeat(worker, startId, "", "", "{}", 0, served);
    store.write(List.of(new WorkerStore.AgedBeat(beat, ageMs)));
    stageStore.write(List.of(beat));
  }

  @Test
  void aWorkerThatDoesNotTellItsStartsApartIsDrainedUntilItIsTakenBack() {
    beat("");
    drain("");
    assertThat(beat("").path("drain").asBoolean()).isTrue();
    assertThat(beat("").path("drain").asBoolean()).isTrue();

    assertThat(beat(",'startId':'start-1'").path("drain").asBoolean())
        .as("that is certainly another process")
        .isFalse();
    assertThat(beat("").path("drain").asBoolean()).isFalse();
  }

  @Test
  void aHoldThatTakesReportsAlongDrainsAsWell() {
    beat("");
    drain("");
    JsonNode told =
        wire.post(
                "/api/task/hold_task",
                "{'taskType':'%s','workerId':'%s','reports':[{'taskId':'1_x_task_1'}]}"
                    .formatted(type.name(), worker))
            .result();
    assertThat(told.propertyNames()).containsExactly("taskList", "outcomes", "drain");
  }

  @Test
  void aGraceIsToldWithTheDrain() {
    beat("");
    drain(",'graceMs':60000,'operator':'ann','reason':'a new card'");
    assertThat(beat("").path("drainGraceMs").asLong()).isEqualTo(60_000);
    assertThat(hold(0).join().result().path("drainGraceMs").asLong()).isEqualTo(60_000);

    drain(",'undo':1");
    assertThat(beat("").propertyNames()).containsExactly("tasks", "drain");
    assertThat(
            jdbc.sql(
                    "SELECT CONCAT_WS(' ', act, operator, reason, detail) FROM t_act"
                        + " WHERE object = :worker ORDER BY id")
                .param("worker", "worker:" + worker)
                .query(String.class)
                .list())
        .containsExactly("DRAIN ann a new card {\"graceMs\":60000}", "UNDO_DRAIN  ");
    assertThat(drain(",'graceMs':-1").badFields()).containsExactly("graceMs");
  }

  private Wire.Answer drain(String rest) {
    return wire.post("/api/worker/drain", "{'workerId':'" + worker + "'" + rest + "}");
  }

  private CompletableFuture<Wire.Answer> hold(int waitMs) {
    String query = "?taskType=%s&workerId=%s&waitMs=%s".formatted(type.name(), worker, waitMs);
    return CompletableFuture.supplyAsync(
        () -> wire.get("/api/task/hold_task" + query), OtherThread::start);
  }

  private void set(String assignment) {
    jdbc.sql("UPDATE t_worker SET " + assignment + " WHERE worker_id = :worker")
        .param("worker", worker)
        .update();
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
    set("beat_time = beat_time - 90000000");

    assertThat(workers.forgetSilent()).isPositive();
    assertThat(listed()).isNull();
  }
}
