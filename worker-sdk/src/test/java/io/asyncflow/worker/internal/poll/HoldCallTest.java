package io.asyncflow.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.loop.ManualTicker;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.report.ReportSender;
import io.asyncflow.worker.internal.report.ReportWriter;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.WorkerStart;
import io.asyncflow.worker.internal.spool.NoSpool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldCallTest {

  private final ManualTicker ticker = new ManualTicker();
  private final StubFlowClient client = new StubFlowClient(ticker);
  private final ReportSender reports =
      new ReportSender(
          client,
          new HeldRuns(),
          new ReportWriter("w", Sealing.OFF),
          new NoSpool(),
          ticker,
          new WakeUp(),
          new WakeUp(),
          new Backoff(Jitter.NONE),
          new Link());
  private final List<String> drains = new ArrayList<>();
  private final HoldCall call =
      new HoldCall(
          "lark",
          new WorkerStart("w", null, null),
          client,
          reports,
          grace -> drains.add("drain"),
          ticker);
  private final HoldScope scope = HoldScope.of(List.of("open"), 1, List.of());

  @Test
  void aCutBetweenTheQuestionAndTheCallIsNotLost() {
    long cutsSeen = call.cuts();
    call.cut(); // a slot was freed after the scope was made up
    assertThatThrownBy(() -> call.holdUnlessCut(scope, Duration.ofSeconds(10), cutsSeen))
        .isInstanceOf(FlowUnreachableException.class);
    assertThat(call.wasCut()).isTrue();
    assertThat(call.unanswered()).isFalse();
    assertThat(client.holds).isEmpty();

    call.holdUnlessCut(scope, Duration.ofSeconds(10), call.cuts());
    assertThat(client.holds).hasSize(1);
    assertThat(call.wasCut()).isFalse();
  }

  @Test
  void whatARepeatBringsMayHaveBeenHeldBefore() {
    client.thenLoseTheAnswer().thenTasks().thenTasks();
    assertThatThrownBy(() -> call.hold(scope, Duration.ZERO))
        .isInstanceOf(FlowUnreachableException.class);
    assertThat(call.hold(scope, Duration.ZERO).repeated()).isTrue();
    assertThat(call.hold(scope, Duration.ZERO).repeated()).isFalse();
  }

  @Test
  void workerThatIsTooOldSaysSoOnceForEachVersion() {
    try (LoggedLines log = new LoggedLines(HoldCall.class)) {
      for (Integer needed : new Integer[] {null, 3, 3, 4, null, 4}) {
        client.minWorkerVersion = needed;
        call.hold(scope, Duration.ZERO);
      }
      assertThat(log.lines()).hasSize(3).allMatch(line -> line.startsWith("type lark needs"));
    }
  }

  @Test
  void anyAnswerMayDrainTheWorker() {
    call.hold(scope, Duration.ofSeconds(10));
    assertThat(drains).isEmpty();
    client.drain = true;
    call.hold(scope, Duration.ofSeconds(10));
    call.holdAndReport(scope);
    assertThat(drains).hasSize(2);
  }
}
