package io.asyncflow.worker.internal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.run.HandlerThread;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.spool.NoSpool;
import io.asyncflow.worker.internal.spool.ObjectSpool;
import io.asyncflow.worker.internal.spool.Spool;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReportSenderTest {

  private final HandDriven worker = new HandDriven();

  private Run finished(StageResult result) {
    Run run = worker.heldRun(c -> result);
    worker.work(run);
    return run;
  }

  private Run finished() {
    return finished(StageResult.done());
  }

  @Test
  void whatArrivedMeanwhileIsSentTogether() {
    finished();
    finished();
    finished();
    assertThat(worker.sender.runOnce()).isEqualTo(Loop.UNTIL_WOKEN);
    assertThat(worker.server.accepted()).hasSize(3);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aReportWithoutAnAnswerIsRepeatedWithItsId() {
    finished();
    worker.server.swallowAnswers(1);
    Duration wait = worker.sender.runOnce();
    assertThat(wait).isEqualTo(Duration.ofMillis(100));
    worker.ticker.advance(wait);
    worker.sendReports();

    assertThat(worker.server.reports()).hasSize(2);
    assertThat(worker.server.reports().get(0)).isEqualTo(worker.server.reports().get(1));
    assertThat(worker.server.accepted()).hasSize(1);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aReportWithoutAnAnswerCreatesItsTasksOnce() {
    NewTask next = NewTask.of("lark", "next", "me", "");
    finished(StageResult.done().andCreate(next, next));
    worker.server.swallowAnswers(1);
    worker.ticker.advance(worker.sender.runOnce());
    worker.sendReports();

    assertThat(worker.server.reports()).hasSize(2);
    assertThat(worker.server.getTaskList("lark", TaskPageRequest.of(TaskStatus.WAITING)).taskList())
        .hasSize(2)
        .allMatch(task -> task.taskStage().equals("next"));
  }

  @Test
  void itOutlivesALongOutageAndSaysSoOnce() {
    finished();
    worker.server.setDown(true);
    try (LoggedLines log = new LoggedLines(ReportSender.class)) {
      for (int i = 0; i < 50; i++) {
        Duration wait = worker.sender.runOnce();
        assertThat(wait).isBetween(Duration.ofMillis(50), Duration.ofSeconds(5));
        worker.ticker.advance(wait);
      }
      assertThat(log.lines()).hasSize(1);
    }
    worker.server.setDown(false);
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(1);
  }

  @Test
  void aNewReportDoesNotWaitForTheBackoffOfAnother() {
    Run first = finished();
    worker.server.refuseReports(
        report -> report.taskId().equals(first.task().taskId()), ErrorCode.UNAVAILABLE);
    worker.sendReports();
    finished();
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(1);
    assertThat(worker.held.all()).containsExactly(first);
  }

  @Test
  void oneBadReportDoesNotSpoilTheOthers() {
    worker.server.refuseObjects(ErrorCode.TOO_LARGE);
    finished(StageResult.done("x".repeat(5000)));
    finished();
    worker.sendReports();
    worker.sendReports();
    assertThat(worker.server.accepted())
        .extracting(Report::outcome)
        .containsExactly(Outcome.SUCCESS, Outcome.FAIL);
  }

  /** As where a firewall dislikes its text: the task is to say why, and not that it timed out. */
  @Test
  void aReportThatAloneFindsNoWayIsExplainedBeforeItsTimeIsOver() {
    Run run = finished(StageResult.done("SELECT * FROM users"));
    worker.server.refuseReports(
        report -> report.outcome() == Outcome.SUCCESS, ErrorCode.UNAVAILABLE);
    while (worker.server.accepted().isEmpty()) {
      worker.sendReports();
      assertThat(worker.ticker.nanos()).isLessThan(run.lease().hardEnd());
      worker.ticker.advance(Duration.ofMillis(500));
    }
    Report explanation = worker.server.accepted().get(0);
    assertThat(explanation.outcome()).isEqualTo(Outcome.RETRY);
    assertThat(explanation.unexpected()).isTrue();
    assertThat(explanation.errMsg())
        .startsWith("the report SUCCESS found no way to flowsvr, while other calls did: ");
    assertThat(worker.held.isEmpty()).isTrue();
  }

  private ReportSender sender(FlowClient client, Spool spool) {
    return new ReportSender(
        client,
        worker.held,
        worker.writer,
        spool,
        worker.ticker,
        worker.wakeUp,
        worker.wakeUp,
        new Backoff(Jitter.NONE),
        new Link());
  }

  private void returned(ReportSender sender, String result) {
    Run run = worker.heldRun(c -> StageResult.done());
    run.enter(HandlerThread.current());
    run.advance(RunState.WORKING, RunState.Event.RETURNED);
    sender.submit(run, worker.writer.of(run.task(), StageResult.done(result)));
  }

  @Test
  void aReportThatSpoilsItsWholeRequestFailsAlone() {
    ReportSender picky =
        sender(
            new AllOrNothing(worker.server, report -> "bad".equals(report.result())),
            new NoSpool());
    for (String result : List.of("fine", "fine", "bad", "fine", "fine")) {
      returned(picky, result);
    }
    picky.runOnce();
    assertThat(worker.server.accepted()).hasSize(4);
    picky.runOnce();
    assertThat(worker.server.accepted().get(4).outcome()).isEqualTo(Outcome.FAIL);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void whatIsTooMuchForASlowLineGoesInHalves() {
    ReportSender slow =
        sender(
            new ForwardingFlowClient(worker.server) {
              @Override
              public List<ReportResult> report(List<Report> reports) {
                if (reports.size() > 2) {
                  throw new FlowException(ErrorCode.BODY_TOO_SLOW, "too slow");
                }
                return super.report(reports);
              }
            },
            new NoSpool());
    for (int i = 0; i < 5; i++) {
      returned(slow, "fine");
    }

    slow.runOnce();

    assertThat(worker.server.accepted()).hasSize(5);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void aRefusalOfTheReportBecomesAFail() {
    finished(StageResult.next("x".repeat(100)));
    worker.server.refuseReports(r -> r.outcome() == Outcome.NEXT_STAGE, ErrorCode.INVALID_INPUT);
    worker.sendReports();
    worker.sendReports();
    Report report = worker.server.accepted().get(0);
    assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
    assertThat(report.errMsg()).contains("NEXT_STAGE").contains("8020");
  }

  @Test
  void aRefusalOfItsCreatesBecomesAFailWithoutThem() {
    NewTask unknown = NewTask.of("nosuchtype", "one", "me", "");
    finished(StageResult.fail("why").andCreate(unknown));
    finished(StageResult.done().andCreate(unknown));
    worker.sendReports();
    worker.sendReports();
    assertThat(worker.server.accepted())
        .hasSize(2)
        .allMatch(report -> report.outcome() == Outcome.FAIL && report.creates() == null)
        .allMatch(report -> report.errMsg().contains("8042"));
  }

  @Test
  void evenAFailMayBeRefusedAndThatIsTheEnd() {
    finished();
    worker.server.refuseReports(r -> true, ErrorCode.INVALID_INPUT);
    worker.sendReports();
    worker.sendReports();
    assertThat(worker.server.reports())
        .extracting(Report::outcome)
        .containsExactly(Outcome.SUCCESS, Outcome.FAIL);
    assertThat(worker.held.isEmpty()).isTrue();
    assertThat(worker.sender.runOnce()).isEqualTo(Loop.UNTIL_WOKEN);
  }

  @Test
  void aReportThatDoesNotCountIsNotRepeated() {
    for (ErrorCode code : List.of(ErrorCode.LEASE_LOST, ErrorCode.TRANSITION_NOT_ALLOWED)) {
      finished();
      worker.server.refuseReports(r -> true, code);
      assertThat(worker.sender.runOnce()).isEqualTo(Loop.UNTIL_WOKEN);
      assertThat(worker.held.isEmpty()).isTrue();
    }
    assertThat(worker.server.reports()).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_AUTHENTICATED", "KEY_ENDED", "VERB_MISSING"})
  void aWrongKeyIsWaitedOut(ErrorCode refusal) {
    finished();
    worker.server.refuseReports(r -> true, refusal);
    worker.sendReports();
    worker.server.refuseReports(r -> false, null);
    worker.ticker.advance(Duration.ofSeconds(1));
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(1);
  }

  @Test
  void moreThanOneRequestTakesAreSentInSeveral() {
    for (int i = 0; i < ReportSender.MOST_REPORTS + 1; i++) {
      finished();
    }
    assertThat(worker.sender.runOnce()).isZero();
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(ReportSender.MOST_REPORTS + 1);
  }

  @Test
  void anErrorWhileTheyAreSentCostsNoReport() {
    Iterator<Error> errors = List.<Error>of(new OutOfMemoryError("of others")).iterator();
    ReportSender sender =
        sender(
            new AllOrNothing(
                worker.server,
                report -> {
                  if (errors.hasNext()) {
                    throw errors.next();
                  }
                  return false;
                }),
            new NoSpool());
    returned(sender, "one");
    returned(sender, "two");
    assertThatThrownBy(sender::runOnce).isInstanceOf(OutOfMemoryError.class);
    assertThat(worker.server.reports()).isEmpty();

    assertThat(sender.runOnce()).isEqualTo(Loop.UNTIL_WOKEN);
    assertThat(worker.server.accepted()).extracting(Report::result).containsExactly("one", "two");
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void anErrorWhileItsTextIsStoredCostsNoReport() {
    Iterator<Error> errors = List.<Error>of(new NoClassDefFoundError("of a codec")).iterator();
    ReportSender sender =
        sender(
            new ForwardingFlowClient(worker.server) {
              @Override
              public StoreClient store() {
                if (errors.hasNext()) {
                  throw errors.next();
                }
                return super.store();
              }
            },
            new NoSpool());
    returned(sender, "x".repeat(5000));
    HandDriven.sendReports(sender);
    assertThat(worker.server.accepted())
        .extracting(Report::outcome)
        .containsExactly(Outcome.SUCCESS);
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void anErrorWhileOneIsKeptCostsNoReport() {
    ReportSender sender = sender(worker.server, new ClumsySpool());
    returned(sender, "one");
    returned(sender, "two");
    worker.server.setDown(true);
    assertThatThrownBy(sender::runOnce).isInstanceOf(OutOfMemoryError.class);

    worker.server.setDown(false);
    worker.ticker.advance(Duration.ofSeconds(1));
    sender.runOnce();
    assertThat(worker.server.accepted())
        .extracting(Report::result)
        .containsExactlyInAnyOrder("one", "two");
    assertThat(worker.held.isEmpty()).isTrue();
  }

  @Test
  void anErrorWhileAHoldSettlesThemCostsNoReport() {
    ClumsySpool spool = new ClumsySpool();
    ReportSender sender = sender(worker.server, spool);
    returned(sender, "one");
    returned(sender, "two");
    List<PendingReport> piggybacked = sender.takePiggybackedReports();
    List<ReportResult> stand =
        worker.server.report(piggybacked.stream().map(PendingReport::report).toList());
    assertThatThrownBy(() -> sender.settlePiggybackedReports(piggybacked, stand))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(sender.canPiggyback()).isFalse();

    sender.runOnce();
    assertThat(worker.held.isEmpty()).isTrue();
  }

  /** Has no memory left the second time it is used, and that once. */
  private static final class ClumsySpool implements Spool {

    @Override
    public ObjectSpool objects() {
      return none.objects();
    }

    private final Spool none = new NoSpool();
    private int uses;

    private void use() {
      uses++;
      if (uses == 2) {
        throw new OutOfMemoryError("of others");
      }
    }

    @Override
    public boolean keep(Report report) {
      use();
      return none.keep(report);
    }

    @Override
    public void forget(Report report) {
      use();
    }

    @Override
    public void setAside(Report report) {}

    @Override
    public List<Report> adopt() {
      return none.adopt();
    }

    @Override
    public boolean full() {
      return none.full();
    }

    @Override
    public int size() {
      return none.size();
    }

    @Override
    public void close() {}
  }

  @Test
  void whatIsOnItsWayInTwoRequestsIsUnsettled() {
    ReportQueue queue = new ReportQueue();
    Run run = finished();
    Report report = worker.writer.of(run.task(), StageResult.done());
    for (int i = 0; i < 3; i++) {
      queue.add(PendingReport.fresh(null, report));
    }
    List<PendingReport> withAHold = queue.takePiggybackable(2);
    List<PendingReport> byThemselves = queue.takeDue(0, 2);
    assertThat(withAHold).hasSize(2);
    assertThat(byThemselves).hasSize(1);
    assertThat(queue.unsettled()).hasSize(3);

    queue.isOver(withAHold, List.of());
    assertThat(queue.unsettled()).hasSize(1);
    queue.isOver(byThemselves, List.of());
    assertThat(queue.unsettled()).isEmpty();
  }
}
