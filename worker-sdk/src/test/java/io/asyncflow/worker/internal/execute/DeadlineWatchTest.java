package io.asyncflow.worker.internal.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.run.HandlerThread;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.StopCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlineWatchTest {

  private final HandDriven worker = new HandDriven();

  /** What handlers see; an assertion that fails in a handler would only fail its run. */
  private final List<Boolean> seen = new ArrayList<>();

  private Run run;

  @Test
  void atTheDeadlineTheHandlerIsInterruptedAndTimedOutIsReported() {
    run =
        worker.heldRun(
            c -> {
              worker.keepLeaseUntil(run.lease().deadline() - 1);
              worker.watch.runOnce();
              assertThat(Thread.currentThread().isInterrupted()).isFalse();
              assertThat(c.cancelled()).isFalse();
              worker.watchAt(run.lease().deadline());
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
              assertThat(c.cancelled()).isTrue();
              assertThat(c.remaining()).isZero();
              throw new InterruptedException();
            });
    worker.work(run);
    worker.sendReports();
    Report report = worker.server.accepted().get(0);
    assertThat(report.outcome()).isEqualTo(Outcome.RETRY);
    assertThat(report.errMsg()).startsWith("timed out");
    assertThat(worker.ticker.nanos()).isLessThan(run.lease().hardEnd());
  }

  @Test
  void aResultThatComesAfterTheInterruptIsTooLate() {
    run =
        worker.heldRun(
            c -> {
              worker.keepLeaseUntil(run.lease().deadline());
              worker.watch.runOnce();
              return StageResult.done();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RETRY);
  }

  /** Without a turn of the watch, which comes a moment later. */
  private Report reportOfWhatEndsAtTheDeadline(StageHandler handler) {
    run =
        worker.heldRun(
            c -> {
              worker.keepLeaseUntil(run.lease().deadline());
              return handler.handle(c);
            });
    worker.work(run);
    worker.sendReports();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    return worker.server.accepted().get(0);
  }

  @Test
  void whatAHandlerReturnsOnceItSeesThatItsTimeIsOverDoesNotCount() {
    Report report =
        reportOfWhatEndsAtTheDeadline(
            c -> {
              seen.add(c.cancelled());
              seen.add(Thread.currentThread().isInterrupted());
              return StageResult.done("partial");
            });
    assertThat(seen).containsExactly(true, true);
    assertThat(report.outcome()).isEqualTo(Outcome.RETRY);
    assertThat(report.errMsg()).startsWith("timed out");
    assertThat(report.unexpected()).isTrue();
  }

  @Test
  void whatEndsAfterTheDeadlineHasTimedOutEvenIfTheHandlerDidNotLook() {
    for (StageHandler handler :
        List.<StageHandler>of(
            c -> StageResult.done("late"),
            c -> {
              throw new NonRetryableException("late");
            })) {
      DeadlineWatchTest another = new DeadlineWatchTest();
      Report report = another.reportOfWhatEndsAtTheDeadline(handler);
      assertThat(report.outcome()).isEqualTo(Outcome.RETRY);
      assertThat(report.errMsg()).startsWith("timed out");
    }
  }

  @Test
  void noRenewalGivesTimeBackThatAHandlerHasSeenEnd() {
    Report report =
        reportOfWhatEndsAtTheDeadline(
            c -> {
              seen.add(c.remaining().isZero());
              run.renew(worker.ticker.nanos(), 9_000);
              seen.add(run.lease().deadline() > worker.ticker.nanos());
              seen.add(c.remaining().isZero());
              return StageResult.done("partial");
            });
    assertThat(seen).containsExactly(true, true, true);
    assertThat(report.outcome()).isEqualTo(Outcome.RETRY);
  }

  @Test
  void aHandlerThatHeedsNoInterruptIsReportedBeforeTheLeaseEnds() {
    run =
        worker.heldRun(
            c -> {
              worker.keepLeaseUntil(run.lease().deadline());
              worker.watch.runOnce();
              assertThat(run.state()).isEqualTo(RunState.WORKING);
              worker.watchAt(run.lease().reportBy());
              worker.sendReports();
              assertThat(worker.server.accepted()).hasSize(1);
              assertThat(run.overdue()).isTrue();
              return StageResult.done();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.reports()).hasSize(1);
    assertThat(worker.server.reports().get(0).errMsg()).startsWith("timed out");
    assertThat(run.overdue()).isFalse();
  }

  @Test
  void aHandlerIsInterruptedEvenIfTheWatchComesLate() {
    run =
        worker.heldRun(
            c -> {
              worker.keepLeaseUntil(run.lease().reportBy());
              worker.watch.runOnce();
              seen.add(Thread.currentThread().isInterrupted());
              throw new InterruptedException();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(seen).containsExactly(true);
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RETRY);
  }

  @Test
  void aLeaseThatWasNotRenewedInTimeIsLost() {
    run =
        worker.heldRun(
            c -> {
              worker.watchAt(run.lease().trustedUntil() - 1);
              assertThat(c.cancelled()).isFalse();
              worker.watchAt(run.lease().trustedUntil());
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
              throw new InterruptedException();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.reports()).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void inAnOutageAHandlerGoesOnBeyondItsLeaseAndItsReportCounts() {
    run =
        worker.heldRun(
            c -> {
              long end = run.lease().trustedUntil();
              run.trustFor(Duration.ofSeconds(5));
              worker.watchAt(end);
              assertThat(c.cancelled()).isFalse();
              worker.watchAt(run.lease().trustedUntil() - 1);
              assertThat(c.cancelled()).isFalse();
              return StageResult.done();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.accepted())
        .extracting(Report::outcome, Report::leaseEpoch)
        .containsExactly(tuple(Outcome.SUCCESS, run.task().leaseEpoch()));
  }

  @Test
  void anOutageThatTakesTooLongCostsTheRun() {
    run =
        worker.heldRun(
            c -> {
              run.trustFor(Duration.ofSeconds(5));
              worker.watchAt(run.lease().trustedUntil());
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
              throw new InterruptedException();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.reports()).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void inAnOutageAQueuedRunIsKeptAndStarts() {
    run = worker.heldRun(c -> StageResult.done());
    long end = run.lease().trustedUntil();
    run.trustFor(Duration.ofSeconds(4));
    worker.watchAt(end);
    assertThat(run.state()).isEqualTo(RunState.QUEUED);
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.SUCCESS);
  }

  @Test
  void aHandlerThatHadFinishedReportsAfterItsLeaseRanOut() {
    run = worker.heldRun(c -> StageResult.done());
    worker.server.setDown(true);
    worker.work(run);
    worker.sendReports();
    worker.watchAt(run.lease().hardEnd());
    worker.server.setDown(false);
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.SUCCESS);
  }

  @Test
  void aQueuedRunThatWouldHaveLessThanHalfOfItsTimeIsReleased() {
    run = worker.heldRun(c -> StageResult.done());
    worker.keepLeaseUntil(run.lease().startBy() - 1);
    worker.watch.runOnce();
    assertThat(run.state()).isEqualTo(RunState.QUEUED);
    worker.watchAt(run.lease().startBy());
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RELEASE);
  }

  @Test
  void aQueuedRunWhoseLeaseRanOutIsDropped() {
    run = worker.heldRun(c -> StageResult.done());
    worker.watchAt(run.lease().trustedUntil());
    worker.sendReports();
    assertThat(worker.server.reports()).isEmpty();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aHandlerThatHeedsNoInterruptOfAStopIsReleasedSoon() {
    run =
        worker.heldRun(
            c -> {
              run.stop(StopCause.SHUT_DOWN, worker.ticker.nanos());
              worker.watch.runOnce();
              assertThat(run.state()).isEqualTo(RunState.WORKING);
              worker.ticker.advance(DeadlineWatch.SHUT_DOWN_PATIENCE);
              worker.watch.runOnce();
              assertThat(run.state()).isEqualTo(RunState.REPORTING);
              return StageResult.done();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RELEASE);
  }

  @Test
  void aResultThatComesInSpiteOfTheStopCounts() {
    run =
        worker.heldRun(
            c -> {
              run.stop(StopCause.SHUT_DOWN, worker.ticker.nanos());
              return StageResult.done();
            });
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.SUCCESS);
  }

  @Test
  void itLooksOnlyWhenThereIsSomethingToSee() {
    assertThat(worker.watch.runOnce()).isEqualTo(Loop.UNTIL_WOKEN);
    worker.heldRun(c -> StageResult.done());
    assertThat(worker.watch.runOnce()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void itDoesNotSpinWhileARunIsJustAboutToEnd() {
    run =
        worker.heldRun(
            c -> {
              worker.watchAt(run.lease().trustedUntil());
              return StageResult.done();
            });
    run.enter(HandlerThread.current());
    run.leave();
    worker.ticker.advanceTo(run.lease().trustedUntil());
    assertThat(worker.watch.runOnce()).isGreaterThanOrEqualTo(Duration.ofMillis(5));
  }

  @Test
  void whatIsStalledIsReleased() {
    run = worker.heldRun(c -> StageResult.done());
    worker.stalled.add(run);
    worker.watch.runOnce();
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RELEASE);
  }
}
