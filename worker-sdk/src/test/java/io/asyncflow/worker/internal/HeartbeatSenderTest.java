package io.asyncflow.worker.internal;

import static java.lang.Thread.State.TERMINATED;
import static java.lang.Thread.State.TIMED_WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.Report;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.WorkerStart;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HeartbeatSenderTest {

  private final HandDriven worker = new HandDriven();

  /** The last one, which is there. */
  private Heartbeat lastBeat() {
    List<Heartbeat> beats = worker.server.heartbeats();
    return beats.get(beats.size() - 1);
  }

  @Test
  void everythingHeldIsRenewedInOneRequestEveryFifthOfTheLease() {
    worker.firstBeat();
    Run queued = worker.heldRun(c -> StageResult.done());
    Run reporting = worker.heldRun(c -> StageResult.done());
    worker.work(reporting);

    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(2));
    assertThat(worker.server.heartbeats()).hasSize(1);
    worker.ticker.advance(Duration.ofSeconds(2));
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(2));
    assertThat(worker.server.heartbeats()).hasSize(2);
    assertThat(lastBeat().workerId()).isEqualTo(HandDriven.WORKER);
    assertThat(lastBeat().tasks())
        .extracting(HeldTask::taskId)
        .containsExactlyInAnyOrder(queued.task().taskId(), reporting.task().taskId());
  }

  @Test
  void aWorkerThatHoldsNothingBeatsFromTheStartEveryTenSeconds() {
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(1));
    assertThat(worker.server.heartbeats()).isEmpty();
    worker.firstBeat();
    for (int beats = 1; beats < 4; beats++) {
      assertThat(worker.server.heartbeats()).hasSize(beats);
      assertThat(lastBeat().tasks()).isEmpty();
      assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(10));
      worker.ticker.advance(Duration.ofSeconds(10));
      worker.heart.runOnce();
    }
  }

  @Test
  void aWorkerWhoseHoldIsOutSaysHowItIsOnceAMinute() {
    worker.polls = true;
    worker.firstBeat();
    worker.ticker.advance(Duration.ofSeconds(50));
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(10));
    assertThat(worker.server.heartbeats()).hasSize(1);
    worker.ticker.advance(Duration.ofSeconds(10));
    worker.heart.runOnce();
    assertThat(worker.server.heartbeats()).hasSize(2);
  }

  @Test
  void aWorkerThatPollsNoMoreBeatsAsOften() {
    worker.polls = true;
    worker.firstBeat();
    worker.ticker.advance(Duration.ofSeconds(10));
    worker.heart.runOnce();
    worker.polls = false;
    worker.ticker.advance(Duration.ofSeconds(10));
    worker.heart.runOnce();
    assertThat(worker.server.heartbeats()).hasSize(2);
  }

  @Test
  void aWorkerThatHeldSomethingSaysThatItDoesNoMore() {
    worker.polls = true;
    Run run = worker.heldRun(c -> StageResult.done());
    worker.beat();
    assertThat(lastBeat().tasks()).hasSize(1);
    worker.work(run);
    worker.sendReports();
    worker.ticker.advance(Duration.ofSeconds(10));
    worker.heart.runOnce();
    assertThat(worker.server.heartbeats()).hasSize(2);
    assertThat(lastBeat().tasks()).isEmpty();
  }

  @Test
  void newsAreToldAtOnceAndUntilTheyHaveArrived() {
    worker.polls = true;
    worker.firstBeat();
    worker.ticker.advance(Duration.ofSeconds(1));
    worker.server.setDown(true);
    worker.heart.beatSoon();
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofMillis(100));
    worker.server.setDown(false);
    worker.ticker.advance(Duration.ofMillis(100));
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(10));
    assertThat(worker.server.heartbeats()).hasSize(2);
  }

  @Test
  void chanceKeepsWorkersThatWereStartedTogetherApart() {
    HeartbeatSender early = heart(worker.server, new Jitter(() -> 0.5));
    assertThat(early.runOnce()).isEqualTo(Duration.ofMillis(500));
    worker.ticker.advance(Duration.ofMillis(500));
    assertThat(early.runOnce()).isEqualTo(Duration.ofMillis(9000));
  }

  @Test
  void everyBeatSaysWhatTheWorkerIs() {
    worker.firstBeat();
    assertThat(lastBeat().worker()).isEqualTo(worker.info);
    worker.heldRun(c -> StageResult.done());
    worker.beat();
    assertThat(lastBeat().worker()).isEqualTo(worker.info);
  }

  static Stream<RuntimeException> refusalsOfADescription() {
    return Stream.of(
        new FlowException(ErrorCode.TOO_LARGE, "worker: must be smaller"),
        new FlowException(ErrorCode.MALFORMED_BODY, "malformed body"),
        new IllegalArgumentException("cannot be written as JSON"));
  }

  @ParameterizedTest
  @MethodSource("refusalsOfADescription")
  void aDescriptionThatTheServerRefusesCostsNoLease(RuntimeException refusal) {
    Run run = worker.heldRun(c -> StageResult.done());
    long trusted = run.lease().trustedUntil();
    HeartbeatSender heart = heart(refusingDescriptions(refusal), Jitter.NONE);
    try (LoggedLines log = new LoggedLines(HeartbeatSender.class)) {
      for (int beats = 1; beats <= 2; beats++) {
        worker.ticker.advance(Duration.ofSeconds(2));
        heart.runOnce();
        assertThat(worker.server.heartbeats()).hasSize(beats);
        assertThat(lastBeat().worker()).isNull();
      }
      assertThat(log.lines()).hasSize(1);
    }
    assertThat(run.lease().trustedUntil()).isGreaterThan(trusted);
    try (LoggedLines log = new LoggedLines(HeartbeatSender.class)) {
      worker.ticker.advance(Duration.ofMinutes(10));
      heart.runOnce();
      assertThat(log.lines()).as("what refuses it may be mended, so it is tried again").hasSize(1);
    }
  }

  private FlowClient refusingDescriptions(RuntimeException refusal) {
    return (FlowClient)
        Proxy.newProxyInstance(
            FlowClient.class.getClassLoader(),
            new Class<?>[] {FlowClient.class},
            (proxy, method, arguments) -> {
              if (arguments[0] instanceof Heartbeat beat && beat.worker() != null) {
                throw refusal;
              }
              return method.invoke(worker.server, arguments);
            });
  }

  @Test
  void aSilentServerIsAskedAgainSoonByAnIdleWorkerToo() {
    worker.server.setDown(true);
    worker.firstBeat();
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void aSettledRunIsRenewedNoMore() {
    Run run = worker.heldRun(c -> StageResult.done());
    worker.work(run);
    worker.sendReports();
    worker.firstBeat();
    assertThat(lastBeat().tasks()).isEmpty();
  }

  @Test
  void theShortestLeaseSetsThePace() {
    worker.firstBeat();
    worker.heldRun(c -> StageResult.done());
    worker.server.withType(
        "lark", Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(5));
    worker.heldRun(c -> StageResult.done());
    assertThat(worker.heart.runOnce()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aNewRunSignalsWhenItsRenewalIsTheNext() throws InterruptedException {
    worker.firstBeat();
    worker.heldRun(c -> StageResult.done());
    long start = System.nanoTime();
    worker.wakeUp.await(Duration.ofSeconds(10));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void progressTravelsWithTheNextHeartbeat() {
    Run run =
        worker.heldRun(
            c -> {
              worker.beat();
              c.progress(40);
              worker.beat();
              return StageResult.done();
            });
    worker.work(run);
    assertThat(worker.server.heartbeats())
        .extracting(beat -> beat.tasks().get(0).progress())
        .containsExactly(null, 40);
  }

  @Test
  void aLeaseIsTrustedFromTheStartOfTheRequestThatRenewedIt() {
    Run run = worker.heldRun(c -> StageResult.done());
    long before = run.lease().trustedUntil();
    worker.beat();
    assertThat(run.lease().trustedUntil() - before).isEqualTo(Duration.ofSeconds(2).toNanos());
  }

  @Test
  void onLostLeaseNothingIsReported() {
    Run run =
        worker.heldRun(
            c -> {
              worker.server.steal(c.taskId());
              worker.beat();
              assertThat(c.cancelled()).isTrue();
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
              throw new InterruptedException();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.reports()).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void onCancelNothingIsReported() {
    Run run =
        worker.heldRun(
            c -> {
              worker.server.cancelTask(c.taskId());
              worker.beat();
              assertThat(c.cancelled()).isTrue();
              return StageResult.done();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.reports()).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aHandlerThatHadFinishedReportsAllTheSame() {
    Run run = worker.heldRun(c -> StageResult.done());
    worker.work(run);
    worker.server.steal(run.task().taskId());
    worker.beat();
    assertThat(run.state()).isEqualTo(RunState.REPORTING);
    assertThat(worker.heart.runOnce()).as("no busy loop").isEqualTo(Duration.ofSeconds(2));
    worker.sendReports();
    assertThat(worker.server.reports()).hasSize(1);
    assertThat(worker.server.accepted()).extracting(Report::workerId).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aFailedHeartbeatIsRepeatedSoonAndSaidOnce() {
    worker.heldRun(c -> StageResult.done());
    worker.server.setDown(true);
    try (LoggedLines log = new LoggedLines(HeartbeatSender.class)) {
      worker.ticker.advance(Duration.ofSeconds(2));
      for (int i = 0; i < 10; i++) {
        Duration wait = worker.heart.runOnce();
        assertThat(wait).isBetween(Duration.ofMillis(50), Duration.ofSeconds(2));
        worker.ticker.advance(wait);
      }
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).contains("tried again");
    }
  }

  @Test
  void aWorkerThatHasStoppedSaysSoOnce() {
    worker.heldRun(c -> StageResult.done());
    worker.heart.farewell();
    assertThat(worker.server.heartbeats()).as("it was never heard").isEmpty();
    worker.beat();
    worker.heart.farewell();
    assertThat(worker.server.heartbeats()).hasSize(2);
    assertThat(lastBeat().tasks()).isEmpty();
    assertThat(lastBeat().worker()).isNotNull();

    worker.server.setDown(true);
    worker.beat();
    worker.server.setDown(false);
    worker.heart.farewell();
    assertThat(worker.server.heartbeats()).as("the server was away").hasSize(2);
  }

  @Test
  void aWorkerThatStopsDuringItsFirstBeatSaysSoAfterIt() throws InterruptedException {
    AtomicReference<HeartbeatSender> heart = new AtomicReference<>();
    Thread stopping = new Thread(() -> heart.get().farewell());
    heart.set(
        heart(
            new ForwardingFlowClient(worker.server) {
              @Override
              public HeartbeatAnswer heartbeat(Heartbeat beat) {
                if (worker.server.heartbeats().isEmpty()) {
                  stopping.start();
                  await()
                      .until(
                          () -> List.of(TIMED_WAITING, TERMINATED).contains(stopping.getState()));
                }
                return super.heartbeat(beat);
              }
            },
            Jitter.NONE));
    worker.ticker.advance(Duration.ofSeconds(1));
    heart.get().runOnce();
    assertThat(worker.server.awaitHeartbeats(2, Duration.ofSeconds(10))).isTrue();
    stopping.join();
  }

  /** The table of the task has trouble. */
  @Test
  void aLeaseThatTheAnswersLackIsTriedAtItsPaceUntilShortlyBeforeItsEnd() {
    Run run = worker.heldRun(c -> StageResult.done());
    List<Long> beats = beatsUntil(run.lease().trustedUntil(), run);
    assertThat(beats).startsWith(2_000L, 4_000L, 6_000L, 7_900L).hasSizeLessThan(12);
    assertThat(beats.get(beats.size() - 1)).isBetween(9_650L, 9_800L);
  }

  @Test
  void aLeaseThatTheAnswersLackChangesNoPaceOfOthers() {
    Run lacking = worker.heldRun(c -> StageResult.done());
    worker.server.withType(
        "lark", Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(5));
    Run other = worker.heldRun(c -> StageResult.done());
    long end = other.lease().trustedUntil();
    assertThat(beatsUntil(end, lacking)).containsExactly(1_000L, 2_000L, 3_000L, 4_000L);
    assertThat(other.lease().trustedUntil()).isEqualTo(end + Duration.ofSeconds(4).toNanos());
  }

  /** The times of the beats in ms from now, with answers that lack a run. */
  private List<Long> beatsUntil(long end, Run lacking) {
    List<Long> beats = new ArrayList<>();
    long start = worker.ticker.nanos();
    HeartbeatSender heart =
        heart(
            new ForwardingFlowClient(worker.server) {
              @Override
              public HeartbeatAnswer heartbeat(Heartbeat beat) {
                beats.add(Duration.ofNanos(worker.ticker.nanos() - start).toMillis());
                return new HeartbeatAnswer(
                    super.heartbeat(beat).tasks().stream()
                        .filter(task -> !task.taskId().equals(lacking.task().taskId()))
                        .toList(),
                    false,
                    null);
              }
            },
            new Jitter(() -> 1));
    heart.runOnce(); // the first beat, at once
    beats.clear();
    while (worker.ticker.nanos() < end) {
      worker.ticker.advance(heart.runOnce());
    }
    return beats;
  }

  @Test
  void theServerMayDrainTheWorker() {
    worker.heldRun(c -> StageResult.done());
    worker.server.setDrain(true);
    worker.beat();
    assertThat(worker.drains).isEqualTo(List.of("drain"));
  }

  private static final FlowException CANNOT_WRITE =
      new FlowException(ErrorCode.UNAVAILABLE, "the database is read-only");

  /** Beats at each of these answers, 2 s apart; {@code null} is the server's own. */
  private void beatsAnswered(RuntimeException... answers) {
    Deque<Optional<RuntimeException>> left = new ArrayDeque<>();
    Stream.of(answers).map(Optional::ofNullable).forEach(left::add);
    HeartbeatSender heart =
        heart(
            new ForwardingFlowClient(worker.server) {
              @Override
              public HeartbeatAnswer heartbeat(Heartbeat beat) {
                left.remove()
                    .ifPresent(
                        failure -> {
                          throw failure;
                        });
                return super.heartbeat(beat);
              }
            },
            Jitter.NONE);
    while (!left.isEmpty()) {
      worker.ticker.advance(Duration.ofSeconds(2));
      heart.runOnce();
    }
  }

  @Test
  void whileTheServerCannotWriteARunIsKeptBeyondItsLease() {
    Run run = worker.heldRun(c -> StageResult.done());
    long end = run.lease().trustedUntil();
    beatsAnswered(CANNOT_WRITE);
    assertThat(run.lease().trustedUntil() - end).isEqualTo(HandDriven.PATIENCE.toNanos());
  }

  static Stream<RuntimeException> whatIsNoOtherAnswer() {
    return Stream.of(
        new FlowUnreachableException("what answers (HTTP 502) is not flowsvr", null),
        new FlowUnreachableException("connection refused", null),
        new FlowException(ErrorCode.LIMIT_EXCEEDED, "too many at once"));
  }

  @ParameterizedTest
  @MethodSource("whatIsNoOtherAnswer")
  void whatIsNoOtherAnswerAloneKeepsNoRunAndEndsNoPatience(RuntimeException failure) {
    Run run = worker.heldRun(c -> StageResult.done());
    long end = run.lease().trustedUntil();
    beatsAnswered(failure);
    assertThat(run.lease().trustedUntil()).isEqualTo(end);
    beatsAnswered(CANNOT_WRITE, failure);
    assertThat(run.lease().trustedUntil() - end).isEqualTo(HandDriven.PATIENCE.toNanos());
  }

  @Test
  void anyOtherAnswerEndsThePatience() {
    Run run = worker.heldRun(c -> StageResult.done());
    long end = run.lease().trustedUntil();
    beatsAnswered(CANNOT_WRITE, new FlowException(ErrorCode.KEY_ENDED, "the key is revoked"));
    assertThat(run.lease().trustedUntil()).isEqualTo(end);
    beatsAnswered(CANNOT_WRITE, null);
    assertThat(run.lease().trustedUntil() - worker.ticker.nanos())
        .as("renewed by the last one")
        .isEqualTo(Duration.ofMillis(9_800).toNanos());
  }

  private HeartbeatSender heart(FlowClient client, Jitter jitter) {
    return new HeartbeatSender(
        new WorkerStart(HandDriven.WORKER, null, null),
        client,
        worker.held,
        worker.ends,
        () -> worker.info,
        () -> worker.polls,
        grace -> {},
        HandDriven.PATIENCE,
        worker.ticker,
        worker.wakeUp,
        new Backoff(Jitter.NONE),
        jitter,
        new Link());
  }
}
