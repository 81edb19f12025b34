package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.WorkerView.TypeView;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.testing.ScriptedHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole worker with all its threads, against a server in memory. */
class WorkerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration SOON = Duration.ofSeconds(5);

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("Lark", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30));
  private final ScriptedHandler handler = new ScriptedHandler();
  private final List<Worker> workers = new ArrayList<>();
  private final AtomicLong passed = new AtomicLong();
  @TempDir Path spool;

  private Worker.Builder aWorker() {
    return Worker.builder().client(server).stopsWithTheJvm(false);
  }

  /** Time goes slowly for it: what waits in its queue is stalled after twenty seconds, not one. */
  private Worker.Builder aSlowWorker() {
    Ticker ticker = Ticker.system();
    return aWorker().ticker(() -> ticker.nanos() / 20 + passed.get());
  }

  /** At once, for a slow worker. */
  private void letPass(Duration time) {
    passed.addAndGet(time.toNanos());
  }

  /** From then on it fetches ahead. */
  private void letAShortRunEnd() throws InterruptedException {
    assertStatus(create("OK"), TaskStatus.SUCCESS);
  }

  private Worker started(Worker.Builder builder) {
    Worker worker = builder.build();
    workers.add(worker);
    worker.start();
    return worker;
  }

  private Worker startedWithScript() {
    return started(aWorker().handler("lark", "one", handler));
  }

  private String create(String context) {
    return server.createTask(NewTask.of("lark", "one", "me", context));
  }

  private List<String> create(int count, String context) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(create(context));
    }
    return ids;
  }

  private void assertStatus(String taskId, TaskStatus status) throws InterruptedException {
    assertThat(server.awaitStatus(taskId, status, PATIENCE)).as("%s %s", taskId, status).isTrue();
  }

  @AfterEach
  void stopAll() {
    handler.letGo();
    workers.forEach(worker -> worker.stop(Duration.ZERO));
  }

  @Nested
  class Pauses {

    @Test
    void aPausedWorkerAsksForNothingUntilItIsResumed() throws Exception {
      Worker worker = startedWithScript();
      assertStatus(create("OK"), TaskStatus.SUCCESS);
      worker.pause();
      assertThat(worker.isPaused()).isTrue();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  server.heartbeats().stream()
                      .filter(beat -> beat.worker() != null)
                      .anyMatch(beat -> "PAUSED".equals(beat.worker().states().get("worker"))));
      String first = create("OK"); // ends the hold that may be open
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  worker.view().types().stream().allMatch(type -> type.poller().equals("PENDING")));
      int holds = server.holds().size();
      String task = create("OK");
      assertThat(server.holds()).hasSize(holds);

      worker.resume();
      assertStatus(first, TaskStatus.SUCCESS);
      assertStatus(task, TaskStatus.SUCCESS);
    }

    @Test
    void whatOperatorsPauseIsNotRunUntilTheyResumeIt() throws Exception {
      Worker worker = startedWithScript();
      server.pauses().set(PauseKind.TYPE, "lark");
      server.pauses().set(PauseKind.STAGE, "lark/one");
      server.pauses().set(PauseKind.WORKER, worker.settings().workerId());
      String task = create("OK");
      server.pauseTask(task);

      server.resumeTask(task);
      server.pauses().clear(PauseKind.TYPE, "lark");
      server.pauses().clear(PauseKind.STAGE, "lark/one");
      assertThat(server.getTask(task).taskStatus()).isEqualTo(TaskStatus.WAITING);

      server.pauses().clear(PauseKind.WORKER, worker.settings().workerId());
      assertStatus(task, TaskStatus.SUCCESS);
    }
  }

  @Nested
  class Stages {

    @Test
    void aTaskPassesThroughItsStages() throws Exception {
      started(
          aWorker()
              .handler("lark", "one", c -> StageResult.next("two", c.rawContext() + "1"))
              .handler("Lark", "two", c -> StageResult.done(c.rawContext() + "2")));
      String taskId = create("0");
      assertStatus(taskId, TaskStatus.SUCCESS);
      assertThat(server.getTask(taskId).result()).isEqualTo("012");
    }

    @Test
    void aResultCreatesTasks() throws Exception {
      NewTask two = NewTask.of("lark", "two", "me", "").withIdempotencyKey("second");
      NewTask three = NewTask.of("lark", "three", "me", "").withIdempotencyKey("third");
      started(
          aWorker()
              .handler("lark", "one", c -> StageResult.done("1").andCreate(two))
              .handler("lark", "two", c -> StageResult.next("more").andCreate(three))
              .handler("lark", "more", c -> StageResult.done())
              .handler("lark", "three", c -> StageResult.fail("no").andCreate()));
      assertStatus(create("0"), TaskStatus.SUCCESS);
      await()
          .atMost(PATIENCE)
          .ignoreException(FlowException.class)
          .until(() -> server.getTask("lark", "third").taskStatus() == TaskStatus.FAILED);
      assertStatus(server.getTask("lark", "second").taskId(), TaskStatus.SUCCESS);
    }

    @Test
    void eachScriptHasItsOutcome() throws Exception {
      startedWithScript();
      assertStatus(create("OK"), TaskStatus.SUCCESS);
      assertStatus(create("FATAL"), TaskStatus.FAILED);
      assertStatus(create("NEXT:one"), TaskStatus.SUCCESS);
      String error = create("ERROR");
      assertStatus(error, TaskStatus.FAILED);
      assertThat(server.getTask(error).crtRetryNum()).isEqualTo(4);
      create("SNOOZE");
      await()
          .atMost(PATIENCE)
          .until(() -> server.accepted().stream().anyMatch(r -> r.outcome() == Outcome.SNOOZE));
    }

    @Test
    void aThrowingHandlerNeitherKillsTheWorkerNorLeaksItsSlot() throws Exception {
      AtomicInteger runs = new AtomicInteger();
      Worker worker =
          started(
              aWorker()
                  .threads(1)
                  .slotHandler(
                      "lark",
                      "one",
                      c -> {
                        assertThat(c.slot()).isPresent();
                        switch (runs.incrementAndGet() % 4) {
                          case 0 -> throw new OutOfMemoryError("not really");
                          case 1 -> throw new IllegalStateException();
                          case 2 -> throw new InterruptedException();
                          default -> Thread.currentThread().interrupt();
                        }
                        return null;
                      })
                  .slotHandler("lark", "ok", c -> StageResult.done()));
      for (String taskId : create(10, "")) {
        assertStatus(taskId, TaskStatus.FAILED);
      }
      assertStatus(server.createTask(NewTask.of("lark", "ok", "me", "")), TaskStatus.SUCCESS);
      await().atMost(PATIENCE).until(() -> worker.view().freeSlots() == 1);
      assertThat(worker.state()).isEqualTo(WorkerState.RUNNING);
    }

    @Test
    void aRowWithAContextThatCannotBeReadIsSetAsideAndTheBatchGoesOn() throws Exception {
      started(aWorker().handler("lark", "one", c -> StageResult.done(c.context(Integer.class))));
      List<String> ids = List.of(create("1"), create("{nonsense"), create("3"));
      assertStatus(ids.get(0), TaskStatus.SUCCESS);
      assertStatus(ids.get(1), TaskStatus.FAILED);
      assertStatus(ids.get(2), TaskStatus.SUCCESS);
      assertThat(server.getTask(ids.get(1)).scheduleLog()).contains("cannot be read as");
    }
  }

  @Nested
  class Holds {

    @Test
    void slotsAreSharedByAllTypes() throws Exception {
      server.withType("tts");
      AtomicInteger onDevice = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      StageHandler busy =
          c -> {
            most.accumulateAndGet(onDevice.incrementAndGet(), Math::max);
            Thread.yield();
            onDevice.decrementAndGet();
            return StageResult.done();
          };
      started(
          aWorker()
              .slots("cuda:0", 2)
              .slotHandler("lark", "one", busy)
              .slotHandler("tts", "one", busy));
      List<String> ids = create(30, "");
      for (int i = 0; i < 30; i++) {
        ids.add(server.createTask(NewTask.of("tts", "one", "me", "")));
      }
      for (String id : ids) {
        assertStatus(id, TaskStatus.SUCCESS);
      }
      assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void eachTypeHasThreadsOfItsOwn() throws Exception {
      server.withType("tts");
      started(aWorker().threads(1).handler("lark", "one", handler).handler("tts", "one", handler));
      create(5, "HANG");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      assertStatus(server.createTask(NewTask.of("tts", "one", "me", "OK")), TaskStatus.SUCCESS);
    }

    @Test
    void onlyWhatCanStartSoonIsHeld() throws Exception {
      Worker worker = started(aSlowWorker().threads(2).prefetch(3).handler("lark", "one", handler));
      letAShortRunEnd();
      create(20, "HANG");
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).queued() >= 2);
      TypeView type = worker.view().types().get(0);
      assertThat(type.working()).isEqualTo(2);
      assertThat(type.queued()).isLessThanOrEqualTo(3);
    }

    @Test
    void whatWaitsBehindLongRunsIsReleased() throws Exception {
      Worker worker = started(aSlowWorker().threads(2).prefetch(3).handler("lark", "one", handler));
      letAShortRunEnd();
      create(5, "HANG");
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).queued() >= 2);
      letPass(Duration.ofSeconds(2));
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(worker.view().types().get(0).queued()).isZero();
                assertThat(server.accepted())
                    .extracting(Report::outcome)
                    .filteredOn(outcome -> outcome == Outcome.RELEASE)
                    .isNotEmpty();
              });
    }

    @Test
    void aParkedWorkerStartsANewTaskAtOnce() throws Exception {
      startedWithScript();
      assertThat(server.awaitHolds(1, PATIENCE)).isTrue();
      create("OK");
      assertThat(server.awaitAccepted(1, SOON)).isTrue();
    }

    @Test
    void aSlotThatIsFreedUnderAParkedHoldIsUsedAtOnce() throws Exception {
      started(aWorker().handler("lark", "open", handler).slotHandler("lark", "one", handler));
      create("DEAF");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      // Asks for the open stage alone by now, and parks.
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                HoldRequest last = server.holds().get(server.holds().size() - 1);
                return last.stages().equals(List.of("open")) && last.waitMs() > 0;
              });
      create("OK");
      handler.letGo();
      assertThat(server.awaitAccepted(2, SOON)).isTrue();
    }
  }

  @Nested
  class Leases {

    @Test
    void leasesAreKeptWhileAHandlerRuns() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(5));
      started(aWorker().threads(2).handler("lark", "one", handler));
      create(2, "DEAF");
      await().atMost(PATIENCE).until(() -> server.heartbeats().size() >= 6);
      handler.letGo();
      assertThat(server.awaitAccepted(2, PATIENCE)).isTrue();
      assertThat(server.accepted()).extracting(Report::leaseEpoch).containsOnly(1);
    }

    @Test
    void aHandlerIsInterruptedAtItsDeadlineAndTimedOutIsReported() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofSeconds(30));
      startedWithScript();
      create("HANG");
      assertThat(handler.awaitInterrupted(1, PATIENCE)).isTrue();
      assertThat(server.awaitAccepted(1, PATIENCE)).isTrue();
      assertThat(server.accepted().get(0).outcome()).isEqualTo(Outcome.RETRY);
      assertThat(server.accepted().get(0).errMsg()).startsWith("timed out");
    }

    @Test
    void aHandlerThatHeedsNoInterruptIsReportedAndCounted() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofSeconds(30));
      Worker worker = started(aWorker().threads(1).slotHandler("lark", "one", handler));
      create("DEAF");
      assertThat(server.awaitAccepted(1, PATIENCE)).isTrue();
      assertThat(server.accepted().get(0).errMsg()).startsWith("timed out");
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).overdue() == 1);
      assertThat(worker.view().freeSlots()).isZero();
      handler.letGo();
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).overdue() == 0);
      await().atMost(PATIENCE).until(() -> worker.view().freeSlots() == 1);
    }

    @Test
    void aCancelledTaskIsInterruptedAndNotReported() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(1));
      Worker worker = startedWithScript();
      String taskId = create("HANG");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      server.cancelTask(taskId);
      assertThat(handler.awaitInterrupted(1, PATIENCE)).isTrue();
      assertStatus(create("OK"), TaskStatus.SUCCESS);
      assertThat(server.reports()).extracting(Report::taskId).doesNotContain(taskId);
      // The report is there before the thread is free again.
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).working() == 0);
    }

    /** The stop needs that thread: it keeps the leases of what still runs. */
    @Test
    void aStopByAListenerOnTheThreadOfTheHeartbeatsOnlyBegins() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(1));
      AtomicReference<Worker> worker = new AtomicReference<>();
      CompletableFuture<Boolean> stopped = new CompletableFuture<>();
      worker.set(
          started(
              aWorker()
                  .handler("lark", "one", handler)
                  .whenRunEnds(end -> stopped.complete(worker.get().stop(PATIENCE)))));
      String taskId = create("HANG");
      create("DEAF");
      assertThat(handler.awaitStarted(2, PATIENCE)).isTrue();
      server.cancelTask(taskId);
      assertThat(stopped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isFalse();
      assertThat(worker.get().state()).isEqualTo(WorkerState.STOPPING);
      handler.letGo();
      assertThat(worker.get().stop(PATIENCE)).isTrue();
      assertThat(server.accepted()).extracting(Report::outcome).containsExactly(Outcome.SUCCESS);
    }
  }

  @Nested
  class Outages {

    @Test
    void itMayBeStartedBeforeTheServerAndTheType() throws Exception {
      FakeFlowServer late = new FakeFlowServer();
      late.setDown(true);
      started(Worker.builder().client(late).stopsWithTheJvm(false).handler("lark", "one", handler));
      late.setDown(false);
      late.withType("lark");
      String taskId = late.createTask(NewTask.of("lark", "one", "me", "OK"));
      assertThat(late.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
    }

    @Test
    void aReportOutlivesTheServer() throws Exception {
      Worker worker = startedWithScript();
      String taskId = create("DEAF");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      server.setDown(true);
      handler.letGo();
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).reporting() == 1);
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).problem() != null);
      server.setDown(false);
      assertStatus(taskId, TaskStatus.SUCCESS);
      assertStatus(create("OK"), TaskStatus.SUCCESS);
      assertThat(handler.started()).hasSize(2);
    }

    @Test
    void aLostAnswerStrandsNothing() throws Exception {
      List<String> ids = create(3, "OK");
      server.swallowAnswers(2);
      startedWithScript();
      for (String id : ids) {
        assertStatus(id, TaskStatus.SUCCESS);
        assertThat(server.getTask(id).leaseEpoch()).isEqualTo(1);
      }
      assertThat(handler.started()).hasSize(3);
    }

    @Test
    void whatIsFinishedDuringAnOutageIsToldByTheNextStart() throws Exception {
      Worker before = started(aWorker().spoolDir(spool).handler("lark", "one", handler));
      String taskId = create("DEAF");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      server.setDown(true);
      handler.letGo();
      await().atMost(PATIENCE).until(() -> before.view().spooled() == 1);
      assertThat(before.stop(Duration.ZERO)).isFalse();

      Worker after = started(aWorker().spoolDir(spool).handler("lark", "one", handler));
      assertThat(after.view().spooled()).isEqualTo(1);
      server.setDown(false);
      assertStatus(taskId, TaskStatus.SUCCESS);
      await().atMost(PATIENCE).until(() -> after.view().spooled() == 0);
      assertThat(handler.started()).hasSize(1);
      assertThat(server.accepted().get(0).workerId()).isEqualTo(before.settings().workerId());
      assertStatus(create("OK"), TaskStatus.SUCCESS);
    }

    @Test
    void aReportUnderWayAtTheEndIsKeptTheSame() throws Exception {
      Worker worker = started(aWorker().spoolDir(spool).handler("lark", "one", handler));
      String taskId = create("DEAF");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      CompletableFuture<Boolean> stop =
          CompletableFuture.supplyAsync(
              () -> worker.stop(PATIENCE), run -> new Thread(run).start());
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPING);
      server.setDown(true);
      handler.letGo();
      await().atMost(PATIENCE).until(() -> worker.view().spooled() == 1);
      assertThat(worker.stop(Duration.ZERO)).isFalse();
      assertThat(stop.get()).isFalse();
      server.setDown(false);
      started(aWorker().spoolDir(spool).handler("lark", "one", handler));
      assertStatus(taskId, TaskStatus.SUCCESS);
      assertThat(handler.started()).hasSize(1);
    }

    @Test
    void finishedWorkIsToldBeforeItsTaskIsHeldOnceMore() throws Exception {
      AtomicLong leap = new AtomicLong();
      FakeFlowServer leaping =
          new FakeFlowServer(() -> System.nanoTime() + leap.get()).withType("lark");
      Worker worker =
          started(
              Worker.builder()
                  .client(leaping)
                  .stopsWithTheJvm(false)
                  .spoolDir(spool)
                  .handler("lark", "one", handler));
      String taskId = leaping.createTask(NewTask.of("lark", "one", "me", "DEAF"));
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      leaping.setDown(true);
      handler.letGo();
      await().atMost(PATIENCE).until(() -> worker.view().spooled() == 1);
      // Its lease runs out meanwhile: the task is anybody's who asks first.
      leap.set(Duration.ofMinutes(1).toNanos());
      leaping.setDown(false);
      assertThat(leaping.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
      assertThat(leaping.getTask(taskId).leaseEpoch()).isEqualTo(1);
      assertThat(handler.started()).hasSize(1);
    }
  }

  @Nested
  class Stop {

    @Test
    void aStopCutsAParkedHold() throws Exception {
      Worker worker = startedWithScript();
      assertThat(server.awaitHolds(1, PATIENCE)).isTrue();
      long start = System.nanoTime();
      assertThat(worker.stop(PATIENCE)).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
      assertThat(worker.state()).isEqualTo(WorkerState.STOPPED);
    }

    @Test
    void onAStopQueuedTasksAreReleasedAtOnceAndRunningOnesMayFinish() throws Exception {
      Worker worker = started(aSlowWorker().threads(1).prefetch(3).handler("lark", "one", handler));
      letAShortRunEnd();
      create(4, "DEAF");
      assertThat(handler.awaitStarted(2, PATIENCE)).isTrue();
      await().atMost(PATIENCE).until(() -> worker.view().types().get(0).queued() >= 2);
      int queued = worker.view().types().get(0).queued();

      CompletableFuture<Boolean> stop =
          CompletableFuture.supplyAsync(
              () -> worker.stop(PATIENCE), run -> new Thread(run).start());
      assertThat(server.awaitAccepted(1 + queued, SOON)).isTrue();
      assertThat(server.accepted().subList(1, 1 + queued))
          .extracting(Report::outcome, Report::begun)
          .containsOnly(tuple(Outcome.RELEASE, false));
      assertThat(stop).isNotDone();
      assertThat(worker.state()).isEqualTo(WorkerState.STOPPING);

      handler.letGo();
      assertThat(stop.get()).isTrue();
      assertThat(server.accepted().get(server.accepted().size() - 1).outcome())
          .isEqualTo(Outcome.SUCCESS);
      assertThat(handler.started()).hasSize(2);
    }

    @Test
    void afterTheGraceARunIsInterruptedAndReleased() throws Exception {
      Worker worker = startedWithScript();
      String taskId = create("HANG");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      assertThat(worker.stop(Duration.ofMillis(50))).isTrue();
      assertThat(handler.interrupted()).hasSize(1);
      assertThat(server.accepted())
          .extracting(Report::outcome, Report::begun)
          .containsExactly(tuple(Outcome.RELEASE, null));
      assertThat(server.getTask(taskId).crtRetryNum()).isZero();
      assertThat(server.getTask(taskId).taskStatus()).isEqualTo(TaskStatus.WAITING);
    }

    @Test
    void aHandlerThatHeedsNoInterruptIsReleasedAllTheSame() throws Exception {
      Worker worker = startedWithScript();
      create("DEAF");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      assertThat(worker.stop(Duration.ZERO)).isTrue();
      assertThat(server.accepted()).extracting(Report::outcome).containsExactly(Outcome.RELEASE);
    }

    @Test
    void theShorterGraceOfTwoStopsCounts() throws Exception {
      Worker worker = startedWithScript();
      create("HANG");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      CompletableFuture<Boolean> patient =
          CompletableFuture.supplyAsync(
              () -> worker.stop(Duration.ofHours(1)), run -> new Thread(run).start());
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPING);
      assertThat(worker.stop(Duration.ZERO)).isTrue();
      assertThat(patient.get()).isTrue();
    }
  }

  @Nested
  class Drain {

    @Test
    void aDrainedWorkerFinishesWhatItHasAndStops() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(5));
      Worker worker = startedWithScript();
      String taskId = create("DEAF");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      server.setDrain(true);
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPING);
      handler.letGo();
      assertStatus(taskId, TaskStatus.SUCCESS);
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPED);
    }

    @Test
    void aDrainedWorkerReleasesWhatWaitsAndItsRunsTakeTheirTime() throws Exception {
      server.withType(
          "owl", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30));
      CountDownLatch drained = new CountDownLatch(1);
      Worker worker =
          started(
              aSlowWorker()
                  .threads(1)
                  .prefetch(1)
                  .shutdownGrace(Duration.ZERO)
                  .whenDrained(drained::countDown)
                  .handler("owl", "one", handler) // the hold that is parked and told
                  .handler("lark", "one", handler));
      letAShortRunEnd();
      create(2, "DEAF");
      await()
          .atMost(PATIENCE)
          .until(() -> worker.view().types().stream().mapToInt(TypeView::queued).sum() == 1);
      server.setDrain(true);
      assertThat(server.awaitAccepted(2, PATIENCE)).isTrue();
      assertThat(server.accepted())
          .extracting(Report::outcome)
          .containsExactly(Outcome.SUCCESS, Outcome.RELEASE);
      assertThat(drained.getCount()).isEqualTo(1);
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPING);
      handler.letGo();
      assertThat(drained.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.state()).isEqualTo(WorkerState.STOPPED);
      assertThat(server.accepted()).extracting(Report::outcome).contains(Outcome.SUCCESS);
      assertThat(handler.interrupted()).isEmpty();
    }

    @Test
    void aDrainWithAGraceInterruptsWhatRunsAfterItAndReleasesIt() throws Exception {
      server.withType(
          "lark", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(5));
      Worker worker = startedWithScript();
      String taskId = create("HANG");
      assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
      server.setDrain(true);
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPING);
      assertThat(handler.interrupted()).isEmpty();

      server.setDrain(true, Duration.ofMillis(10)); // told while it stops: the shorter one counts
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPED);
      assertThat(handler.interrupted()).hasSize(1);
      assertThat(server.accepted()).extracting(Report::outcome).containsExactly(Outcome.RELEASE);
      assertStatus(taskId, TaskStatus.WAITING);
    }

    @Test
    void aWorkerThatHoldsNothingIsDrainedTheSame() throws Exception {
      server.setDrain(true);
      Worker worker = startedWithScript();
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPED);
    }

    @Test
    void aParkedHoldDrainsAWorkerLongBeforeItsNextHeartbeat() throws Exception {
      Worker worker = startedWithScript();
      assertThat(server.awaitHolds(1, PATIENCE)).isTrue();
      assertThat(server.awaitHeartbeats(1, PATIENCE)).isTrue();
      server.setDrain(true);
      await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPED);
      assertThat(server.awaitHeartbeats(2, PATIENCE)).isTrue();
      assertThat(server.heartbeats()).as("the next comes after a minute").hasSize(2);
      assertThat(server.heartbeats().get(1).worker().states())
          .as("the last one")
          .containsEntry("worker", "STOPPED");
    }

    @Test
    void aWorkerThatIsStartedAgainUnderTheIdOfADrainedOneStays() throws Exception {
      Worker first = started(aWorker().workerId("pod-0").handler("lark", "one", handler));
      assertThat(server.awaitHeartbeats(1, PATIENCE)).isTrue();
      server.setDrain(true);
      await().atMost(PATIENCE).until(() -> first.state() == WorkerState.STOPPED);

      int beats = server.heartbeats().size();
      Worker next = started(aWorker().workerId("pod-0").handler("lark", "one", handler));
      assertStatus(create("OK"), TaskStatus.SUCCESS);
      assertThat(server.awaitHeartbeats(beats + 1, PATIENCE)).isTrue();
      assertThat(next.state()).isEqualTo(WorkerState.RUNNING);
    }
  }

  @Test
  void anIdleWorkerSaysWhatItIs() throws Exception {
    started(
        aWorker()
            .threads(3)
            .slots("cuda:0", 2)
            .label("rack", "7")
            .handler("Lark", "one", handler)
            .slotHandler("lark", "two", handler));
    WorkerInfo info =
        await()
            .atMost(Duration.ofSeconds(90)) // an idle worker sends one a minute
            .until(
                () ->
                    server.heartbeats().stream()
                        .map(Heartbeat::worker)
                        .filter(told -> told != null)
                        .filter(told -> "POLLING".equals(told.states().get("poller/lark")))
                        .findFirst(),
                Optional::isPresent)
            .get();
    assertThat(info.host()).isNotBlank();
    assertThat(info.stages()).containsExactly("lark/one", "lark/two");
    assertThat(info.labels()).containsExactly(entry("rack", "7"));
    assertThat(info.freeThreads()).containsExactly(entry("lark", 3));
    assertThat(info.freeSlots()).containsExactly(entry("cuda:0", 2));
    assertThat(info.states())
        .containsOnly(
            entry("worker", "RUNNING"),
            entry("health", "healthy"),
            entry("stuck", "0"),
            entry("quarantined", "none"),
            entry("spooled", "0"),
            entry("poller/lark", "POLLING"));
  }

  @Test
  void aStopWithoutAServerLeavesTasksToTheirLeases() throws Exception {
    Worker worker = startedWithScript();
    create("HANG");
    assertThat(handler.awaitStarted(1, PATIENCE)).isTrue();
    server.setDown(true);
    CompletableFuture<Boolean> stop =
        CompletableFuture.supplyAsync(
            () -> worker.stop(Duration.ZERO), run -> new Thread(run).start());
    assertThat(stop.get()).isFalse();
    assertThat(worker.state()).isEqualTo(WorkerState.STOPPED);
  }

  @Test
  void itStartsOnceAndStopsOnce() {
    Worker worker = startedWithScript();
    assertThatIllegalStateException().isThrownBy(worker::start);
    worker.close();
    worker.close();
    assertThatIllegalStateException().isThrownBy(worker::start);

    Worker never = aWorker().handler("lark", "one", handler).build();
    assertThat(never.state()).isEqualTo(WorkerState.NEW);
    never.close();
    assertThat(never.state()).isEqualTo(WorkerState.STOPPED);
  }

  @Test
  void aHandlerMayStopItsWorker() throws Exception {
    CountDownLatch built = new CountDownLatch(1);
    List<Worker> itself = new ArrayList<>();
    Worker worker =
        started(
            aWorker()
                .handler(
                    "lark",
                    "one",
                    c -> {
                      built.await();
                      itself.get(0).stop(Duration.ofMillis(50));
                      return StageResult.done();
                    }));
    itself.add(worker);
    built.countDown();
    create("");
    await().atMost(PATIENCE).until(() -> worker.state() == WorkerState.STOPPED);
    assertThat(server.accepted()).hasSize(1);
  }

  @Test
  void aWorkerIdIsNewEachTimeAndFitsTheContract() {
    String one = WorkerSettings.defaults().workerId();
    assertThat(one)
        .hasSizeLessThanOrEqualTo(64)
        .contains(String.valueOf(ProcessHandle.current().pid()))
        .isNotEqualTo(WorkerSettings.defaults().workerId());
  }

  @Test
  void settingsThatCannotWorkAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Worker.builder().build());
    Worker.Builder builder = aWorker().handler("lark", "one", handler);
    assertThatIllegalArgumentException().isThrownBy(() -> builder.threads(0).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.threads(1).prefetch(-1).build())
        .withMessageContaining("prefetch");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.prefetch(0).slots("cpu", 0).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.slots("cpu", 1).workerId("x".repeat(65)).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.workerId("w").redis("redis://localhost:6379"))
        .withMessageContaining("worker-redis");
  }

  @Test
  void aWorkerTellsItsVersionAndGetsNothingIfItIsTooOld() throws Exception {
    server.saveTaskType(TaskTypeSettings.named("lark").withMinWorkerVersion(2));
    String id = server.createTask(NewTask.of("lark", "one", "me", "OK"));
    started(aWorker().version(1).handler("lark", "one", handler));
    assertThat(server.awaitHolds(1, PATIENCE)).isTrue();
    assertThat(server.awaitHeartbeats(1, PATIENCE)).isTrue();
    assertThat(server.holds()).allMatch(hold -> hold.workerVersion() == 1);
    assertThat(server.heartbeats().get(0).worker().version()).isEqualTo(1);
    assertThat(server.getTask(id).taskStatus()).isEqualTo(TaskStatus.WAITING);

    started(aWorker().version(2).handler("lark", "one", handler));
    assertThat(server.awaitStatus(id, TaskStatus.SUCCESS, PATIENCE)).isTrue();
  }

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    Worker worker = aWorker().handler("lark", "one", handler).build();
    WorkerSettings settings = worker.settings();
    assertThat(settings.threads()).isEqualTo(16);
    assertThat(settings.prefetch()).isEqualTo(8);
    assertThat(settings.backlogThreshold()).isEqualTo(1000);
    assertThat(settings.shutdownGrace()).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.outagePatience()).isEqualTo(Duration.ofMinutes(5));
    assertThat(settings.slots()).containsOnlyKeys("cpu").containsValue(1);
    assertThat(settings.labels()).isEmpty();
    assertThat(settings.stuckThreshold()).isEqualTo(1);
    assertThat(settings.version()).isZero();
    assertThat(settings.spoolDir()).as("with a client of the caller's own").isNull();
    assertThat(WorkerSettings.defaults().spoolDir())
        .isAbsolute()
        .endsWithRaw(Path.of(".asyncflow", "spool"));
    assertThat(worker.view().types())
        .containsExactly(new TypeView("lark", "PENDING", 0, 0, 0, 0, 0, null));
  }
}
