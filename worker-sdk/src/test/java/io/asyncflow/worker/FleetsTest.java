package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.WorkerView.TypeView;
import io.asyncflow.worker.internal.loop.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that are not alike: stages with and without a GPU, small ones and large ones. */
class FleetsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("tts", Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(60));
  private final List<Worker> workers = new ArrayList<>();

  private Worker started(Worker.Builder builder) {
    Worker worker = builder.client(server).stopsWithTheJvm(false).build();
    workers.add(worker);
    worker.start();
    return worker;
  }

  private List<String> create(int count, String stage) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(server.createTask(NewTask.of("tts", stage, "me", "")));
    }
    return ids;
  }

  private void awaitSuccess(List<String> taskIds) throws InterruptedException {
    for (String taskId : taskIds) {
      assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
    }
  }

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
  }

  @Test
  void theStagesOfATaskGoToTheWorkersThatHaveTheirLabels() throws InterruptedException {
    ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
    for (String name : List.of("cpu", "gpu")) {
      Worker.Builder worker =
          Worker.builder()
              .workerId(name)
              .handler(
                  "tts",
                  "split",
                  context -> {
                    ran.add("split");
                    return StageResult.next("speak");
                  })
              .handler(
                  "tts",
                  "speak",
                  context -> {
                    ran.add("speak on " + name);
                    return StageResult.done();
                  },
                  StageNeeds.slots(1).on("gpu"));
      started(name.equals("gpu") ? worker.label("gpu", "H100").slots("cuda:0", 2) : worker);
    }
    awaitSuccess(create(20, "split"));
    assertThat(ran).filteredOn(run -> run.startsWith("speak")).containsOnly("speak on gpu");
    assertThat(server.holds())
        .filteredOn(hold -> hold.workerId().equals("cpu"))
        .flatExtracting(HoldRequest::stages)
        .containsOnly("split");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(server.heartbeats())
                    .filteredOn(beat -> beat.workerId().equals("cpu"))
                    .isNotEmpty()
                    .allSatisfy(
                        beat -> assertThat(beat.worker().stages()).containsExactly("tts/split")));
  }

  @Test
  void noDeviceIsEverGivenMoreThanItsPlaces() throws InterruptedException {
    Map<String, Integer> used = new HashMap<>();
    AtomicInteger most = new AtomicInteger();
    StageHandler counting =
        context -> {
          Slot slot = context.slot().orElseThrow();
          synchronized (used) {
            most.accumulateAndGet(
                used.merge(slot.device(), slot.places(), Integer::sum), Math::max);
          }
          Thread.yield();
          synchronized (used) {
            used.merge(slot.device(), -slot.places(), Integer::sum);
          }
          return StageResult.done();
        };
    started(
        Worker.builder()
            .slots("cuda:0", 4)
            .slots("cuda:1", 4)
            .handler("tts", "small", counting, StageNeeds.slots(1))
            .handler("tts", "large", counting, StageNeeds.slots(3)));
    List<String> tasks = create(60, "small");
    tasks.addAll(create(20, "large"));
    tasks.addAll(create(60, "small"));
    awaitSuccess(tasks);
    assertThat(most).hasValueBetween(1, 4);
  }

  @Test
  void aSlotThatLacksMemoryIsQuarantinedAndShownAndTheWorkGoesOnElsewhere()
      throws InterruptedException {
    StageHandler shortOnOne =
        context -> {
          if (context.slot().orElseThrow().device().equals("cuda:0")) {
            throw new ResourceException("out of memory");
          }
          return StageResult.done();
        };
    Worker worker =
        started(
            Worker.builder()
                .slots("cuda:0", 1)
                .slots("cuda:1", 1)
                .handler("tts", "speak", shortOnOne, StageNeeds.slots(1)));
    List<String> tasks = create(10, "speak");
    awaitSuccess(tasks);
    // A task may have met the bad slot three times, which counts as an attempt; none has failed.
    Map<String, String> shown = Map.of("quarantined", "cuda:0/0", "health", "healthy");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              if (worker.view().quarantined().isEmpty()) {
                create(2, "speak");
              }
              return server.heartbeats().stream()
                  .anyMatch(
                      beat -> beat.worker().states().entrySet().containsAll(shown.entrySet()));
            });
  }

  @Test
  void aWorkerAllOfWhoseSlotsAreQuarantinedSaysSo() {
    Worker worker =
        started(
            Worker.builder()
                .handler(
                    "tts",
                    "speak",
                    context -> {
                      throw new ResourceException("out of memory");
                    },
                    StageNeeds.slots(1)));
    create(5, "speak");
    String problem = "every slot lacked resources three times in a row: cpu/0";
    await().atMost(PATIENCE).until(() -> problem.equals(worker.view().problem()));
  }

  /** The other worker is idle, and the first has its hands full. */
  @Test
  void noTaskWaitsForASlotThatAnotherTypeHasWhileOneIsFreeElsewhere() throws Exception {
    server.withType("video", Duration.ofSeconds(30), Duration.ofHours(1), Duration.ofSeconds(60));
    server.withType("tts", Duration.ofSeconds(30), Duration.ofHours(1), Duration.ofSeconds(60));
    CountDownLatch bothRun = new CountDownLatch(2);
    StageHandler untilBothRun =
        context -> {
          bothRun.countDown();
          bothRun.await();
          return StageResult.done();
        };
    List<String> tasks = new ArrayList<>();
    for (String id : List.of("one", "other")) {
      started(
          Worker.builder()
              .workerId(id)
              .slots("cuda:0", 1)
              .handler("tts", "speak", untilBothRun, StageNeeds.slots(1))
              .handler("video", "render", untilBothRun, StageNeeds.slots(1)));
      if (id.equals("one")) {
        assertThat(server.awaitHolds(2, PATIENCE)).isTrue(); // both are parked
        tasks.addAll(create(1, "speak"));
        tasks.add(server.createTask(NewTask.of("video", "render", "me", "")));
      }
    }
    awaitSuccess(tasks);
  }

  @Test
  void typesThatShareASlotTakeTurnsAndGiveNothingBack() throws Exception {
    server.withType("video", Duration.ofSeconds(30), Duration.ofHours(1), Duration.ofSeconds(60));
    CountDownLatch letGo = new CountDownLatch(1);
    StageHandler waiting =
        context -> {
          letGo.await();
          return StageResult.done();
        };
    Ticker ticker = Ticker.system();
    Worker worker =
        started(
            Worker.builder()
                .ticker(() -> ticker.nanos() / 20) // nothing is stalled before twenty seconds
                .shutdownGrace(Duration.ZERO)
                .slots("cuda:0", 1)
                .handler("tts", "speak", waiting, StageNeeds.slots(1))
                .handler("video", "render", waiting, StageNeeds.slots(1)));
    assertThat(server.awaitHolds(2, PATIENCE)).isTrue(); // both are parked
    List<String> tasks = create(1, "speak");
    tasks.add(server.createTask(NewTask.of("video", "render", "me", "")));
    await()
        .atMost(PATIENCE)
        .until(() -> worker.view().types().stream().mapToInt(TypeView::queued).sum() == 1);
    letGo.countDown();
    awaitSuccess(tasks);
    assertThat(server.accepted()).extracting(Report::outcome).containsOnly(Outcome.SUCCESS);
  }

  @Test
  void noTaskWaitsForAThreadWhileOneIsFreeElsewhere() throws Exception {
    server.withType("tts", Duration.ofSeconds(30), Duration.ofHours(1), Duration.ofSeconds(60));
    int threads = 4;
    CountDownLatch allRun = new CountDownLatch(threads + 1);
    StageHandler untilAllRun =
        context -> {
          allRun.countDown();
          allRun.await();
          return StageResult.done();
        };
    List<String> tasks = create(threads + 1, "speak");
    for (String id : List.of("one", "other")) {
      started(
          Worker.builder()
              .workerId(id)
              .threads(threads)
              .prefetch(8)
              .handler("tts", "speak", untilAllRun));
    }
    awaitSuccess(tasks);
  }
}
