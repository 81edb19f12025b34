package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.Report;
import io.asyncflow.worker.StageResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {

  private final HandDriven worker = new HandDriven();

  @Test
  void everythingHeldIsRenewedInOneRequestEveryFifthOfTheLease() {
    Run queued = worker.heldRun(c -> StageResult.done());
    Run reporting = worker.heldRun(c -> StageResult.done());
    worker.work(reporting);

    assertThat(worker.keeper.runOnce()).isEqualTo(Duration.ofSeconds(2));
    assertThat(worker.server.heartbeats()).isEmpty();
    worker.ticker.advance(Duration.ofSeconds(2));
    assertThat(worker.keeper.runOnce()).isEqualTo(Duration.ofSeconds(2));
    assertThat(worker.server.heartbeats()).hasSize(1);
    assertThat(worker.server.heartbeats().get(0).workerId()).isEqualTo(HandDriven.WORKER);
    assertThat(worker.server.heartbeats().get(0).tasks())
        .extracting(HeldTask::taskId)
        .containsExactlyInAnyOrder(queued.task().taskId(), reporting.task().taskId());
  }

  @Test
  void nothingHeldIsNoHeartbeat() {
    assertThat(worker.keeper.runOnce()).isEqualTo(Loop.UNTIL_RUNG);
    assertThat(worker.server.heartbeats()).isEmpty();
  }

  @Test
  void aSettledRunIsRenewedNoMore() {
    Run run = worker.heldRun(c -> StageResult.done());
    worker.work(run);
    worker.sendReports();
    worker.beat();
    assertThat(worker.server.heartbeats()).isEmpty();
  }

  @Test
  void theShortestLeaseSetsThePace() {
    worker.heldRun(c -> StageResult.done());
    worker.server.withType(
        "lark", Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(5));
    worker.heldRun(c -> StageResult.done());
    assertThat(worker.keeper.runOnce()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aNewRunRingsWhenItsRenewalIsTheNext() throws InterruptedException {
    worker.keeper.runOnce();
    worker.heldRun(c -> StageResult.done());
    long start = System.nanoTime();
    worker.bell.await(Duration.ofSeconds(10));
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
              worker.server.cancel(c.taskId());
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
    worker.sendReports();
    assertThat(worker.server.reports()).hasSize(1);
    assertThat(worker.server.accepted()).extracting(Report::workerId).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aFailedHeartbeatIsRepeatedSoonAndSaidOnce() {
    worker.heldRun(c -> StageResult.done());
    worker.server.setDown(true);
    try (LoggedLines log = new LoggedLines(LeaseKeeper.class)) {
      worker.ticker.advance(Duration.ofSeconds(2));
      for (int i = 0; i < 10; i++) {
        Duration wait = worker.keeper.runOnce();
        assertThat(wait).isBetween(Duration.ofMillis(50), Duration.ofSeconds(2));
        worker.ticker.advance(wait);
      }
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).contains("tried again");
    }
  }

  @Test
  void aLeaseThatTheAnswerDoesNotMentionIsNoBusyLoop() {
    StubFlowClient forgetful = new StubFlowClient(worker.ticker);
    LeaseKeeper keeper =
        new LeaseKeeper(
            HandDriven.WORKER,
            forgetful,
            worker.held,
            worker.ends,
            () -> {},
            worker.ticker,
            worker.bell,
            new Backoff(Jitter.NONE),
            new Link());
    worker.heldRun(c -> StageResult.done());
    worker.ticker.advance(Duration.ofSeconds(5));
    assertThat(keeper.runOnce()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void theServerMaySendTheWorkerAway() {
    worker.heldRun(c -> StageResult.done());
    worker.server.setDrain(true);
    worker.beat();
    assertThat(worker.drains).isEqualTo(List.of("drain"));
  }
}
