package io.asyncflow.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.report.AllOrNothing;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.WorkerStart;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports that go with a hold. */
class PiggybackedReportsTest {

  private final HandDriven worker = new HandDriven();

  private void finished(StageResult result) {
    worker.work(worker.heldRun(c -> result));
  }

  private void finished() {
    finished(StageResult.done());
  }

  private HoldCall.Answer holdAndReport(FlowClient client) {
    HoldCall call =
        new HoldCall(
            "lark",
            new WorkerStart(HandDriven.WORKER, null, null),
            client,
            worker.sender,
            grace -> {},
            worker.ticker);
    return call.holdAndReport(HoldScope.of(List.of("one"), 5, List.of()));
  }

  @Test
  void aHoldTakesAlongWhatHasNotGoneOut() {
    finished();
    finished();
    worker.server.createTask(NewTask.of("lark", "one", "me", ""));
    assertThat(worker.sender.canPiggyback()).isTrue();

    assertThat(holdAndReport(worker.server).tasks()).hasSize(1);

    assertThat(worker.server.accepted()).hasSize(2);
    assertThat(worker.held.isEmpty()).isTrue();
    assertThat(worker.sender.canPiggyback()).isFalse();
    worker.sendReports();
    assertThat(worker.server.reports()).hasSize(2);
  }

  @Test
  void whatAHoldLostIsReportedOnceMoreAndNotByAHold() {
    finished();
    worker.server.swallowAnswers(1);
    assertThatThrownBy(() -> holdAndReport(worker.server))
        .isInstanceOf(FlowUnreachableException.class);
    assertThat(worker.sender.canPiggyback()).isFalse();

    worker.sendReports();

    assertThat(worker.server.reports()).hasSize(2);
    assertThat(worker.server.reports().get(0)).isEqualTo(worker.server.reports().get(1));
    assertThat(worker.server.accepted()).hasSize(1);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void whatIsRefusedOnTheWayIsRefusedOnceMoreByItself() {
    worker.server.refuseReports(report -> report.result() != null, ErrorCode.INVALID_INPUT);
    finished(StageResult.done("bad"));
    finished();
    holdAndReport(worker.server);
    assertThat(worker.server.accepted()).hasSize(1);

    worker.sendReports();
    worker.sendReports();
    assertThat(worker.server.accepted())
        .extracting(Report::outcome)
        .containsExactly(Outcome.SUCCESS, Outcome.FAIL);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void whatIsReleasedDoesNotGoWithAHoldWhichWouldGetItAgain() {
    Run run = worker.heldRun(c -> StageResult.done());
    worker.ends.release(run, "the test says so");
    assertThat(worker.sender.canPiggyback()).isFalse();
    assertThat(holdAndReport(worker.server).tasks()).isEmpty();
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RELEASE);
  }

  @Test
  void aServerThatDoesNotLookAtThemIsAskedOnce() {
    FlowClient old = new AllOrNothing(worker.server, report -> false);
    finished();
    holdAndReport(old);
    assertThat(worker.server.reports()).isEmpty();

    finished();
    assertThat(worker.sender.canPiggyback()).isFalse();
    holdAndReport(old);
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(2);
    assertThat(worker.held.isEmpty()).isTrue();
  }
}
