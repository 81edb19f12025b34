package io.asyncflow.worker.internal.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.GenericType;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** From a held task to its report. */
class StageRunnerTest {

  private final HandDriven worker = new HandDriven();

  private Report reportOf(StageHandler handler) {
    return reportOf("", handler);
  }

  private Report reportOf(String context, StageHandler handler) {
    Run run = worker.heldRun(context, handler);
    worker.work(run);
    worker.sendReports();
    List<Report> reports = worker.server.accepted();
    return reports.get(reports.size() - 1);
  }

  record Note(String text, int number) {}

  @Test
  void eachResultHasItsReport() {
    Report next = reportOf(c -> StageResult.next("two", "ctx"));
    assertThat(next.outcome()).isEqualTo(Outcome.NEXT_STAGE);
    assertThat(next.taskStage()).isEqualTo("two");
    assertThat(next.taskContext()).isEqualTo("ctx");
    assertThat(next.priority()).isNull();

    Report urgent = reportOf(c -> StageResult.next("two").withPriority(60));
    assertThat(urgent.priority()).isEqualTo(60);
    assertThat(urgent.taskContext()).isNull();

    Report done = reportOf(c -> StageResult.done("here"));
    assertThat(done.outcome()).isEqualTo(Outcome.SUCCESS);
    assertThat(done.result()).isEqualTo("here");

    Report retry = reportOf(c -> StageResult.retry("busy", Duration.ofMillis(1500)));
    assertThat(retry.outcome()).isEqualTo(Outcome.RETRY);
    assertThat(retry.errMsg()).isEqualTo("busy");
    assertThat(retry.retryAfterMs()).isEqualTo(1500);

    Report fail = reportOf(c -> StageResult.fail("never"));
    assertThat(fail.outcome()).isEqualTo(Outcome.FAIL);
    assertThat(fail.errMsg()).isEqualTo("never");

    Report late = reportOf(c -> StageResult.snooze(Duration.ofMillis(-3)));
    assertThat(late.delayMs()).as("a moment that has just passed").isZero();
    assertThat(reportOf(c -> StageResult.retry("no", Duration.ofMillis(-3))).retryAfterMs())
        .isZero();
    Report snooze = reportOf(c -> StageResult.snooze(Duration.ofSeconds(2)));
    assertThat(snooze.outcome()).isEqualTo(Outcome.SNOOZE);
    assertThat(snooze.delayMs()).isEqualTo(2000);
  }

  @Test
  void everyReportNamesItsHoldAndCanBeRepeated() {
    Report report = reportOf(c -> StageResult.done());
    assertThat(report.workerId()).isEqualTo(HandDriven.WORKER);
    assertThat(report.leaseEpoch()).isEqualTo(1);
    assertThat(report.reportId()).isNotBlank().hasSizeLessThanOrEqualTo(64);
  }

  @Test
  void objectsTravelAsJsonAndStringsAsTheyAre() {
    Report report = reportOf(c -> StageResult.next("two", new Note("hi", 3)));
    assertThat(report.taskContext()).isEqualTo("{\"text\":\"hi\",\"number\":3}");
    assertThat(reportOf(c -> StageResult.done(Map.of("a", 1))).result()).isEqualTo("{\"a\":1}");
    assertThat(reportOf(c -> StageResult.next("two", "")).taskContext()).isEmpty();
  }

  @Test
  void theContextIsReadAsTheTypeThatIsAskedFor() {
    Report report =
        reportOf(
            "{\"text\":\"hi\",\"number\":3,\"unknown\":1}",
            c -> StageResult.done(c.context(Note.class).number() + c.context(Note.class).text()));
    assertThat(report.result()).isEqualTo("3hi");

    Report list =
        reportOf(
            "[{\"text\":\"hi\",\"number\":3}]",
            c -> StageResult.done(c.context(new GenericType<List<Note>>() {}).get(0).text()));
    assertThat(list.result()).isEqualTo("hi");
  }

  @Test
  void aHandOverMayChangeThePriority() {
    Report report = reportOf(c -> StageResult.next("two", "").withPriority(60));
    assertThat(report.priority()).isEqualTo(60);
  }

  @Test
  void aContextThatCannotBeReadFailsItsTaskWithTheReason() {
    for (String context : List.of("", "nonsense", "{")) {
      Report report = reportOf(context, c -> StageResult.done(c.context(Note.class)));
      assertThat(report.outcome()).as(context).isEqualTo(Outcome.FAIL);
      assertThat(report.errMsg()).contains("cannot be read as " + Note.class.getName());
    }
  }

  @Test
  void aContextOfAnotherVersionIsTriedAgainWithTheReason() {
    for (String context : List.of("{\"number\":\"three\"}", "[1]")) {
      Report report = reportOf(context, c -> StageResult.done(c.context(Note.class)));
      assertThat(report.outcome()).as(context).isEqualTo(Outcome.RETRY);
      assertThat(report.errMsg()).contains("cannot be read as " + Note.class.getName());
    }
  }

  static final class Ring {
    public Ring getNext() {
      return this;
    }
  }

  @Test
  void aResultThatCannotBeWrittenFailsItsTaskWithTheReason() {
    Report report = reportOf(c -> StageResult.done(new Ring()));
    assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
    assertThat(report.errMsg()).contains("cannot be written as JSON");
  }

  @Test
  void aContextOfNullFailsItsTaskWithTheReason() {
    for (Class<?> type : List.of(Note.class, int.class, List.class)) {
      Report report = reportOf("null", c -> StageResult.done(c.context(type)));
      assertThat(report.outcome()).as("%s", type).isEqualTo(Outcome.FAIL);
      assertThat(report.errMsg())
          .startsWith("the context cannot be read as " + type.getTypeName() + ": ");
    }
    Report empty = reportOf(" ", c -> StageResult.done(c.context(Note.class)));
    assertThat(empty.errMsg())
        .isEqualTo("the context cannot be read as " + Note.class.getTypeName() + ": it is empty");
  }

  @Test
  void nullIsNoResult() {
    Report report = reportOf(c -> null);
    assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
    assertThat(report.errMsg()).contains("stage one returned null");
  }

  @Test
  void whatAHandlerThrowsDecidesBetweenRetryAndFail() {
    assertThat(reportOf(c -> fail(new IllegalStateException("x"))).outcome())
        .isEqualTo(Outcome.RETRY);
    assertThat(reportOf(c -> fail(new Exception("x"))).outcome()).isEqualTo(Outcome.RETRY);
    assertThat(reportOf(c -> fail(new OutOfMemoryError("x"))).outcome()).isEqualTo(Outcome.RETRY);
    assertThat(reportOf(c -> endless(0)).outcome()).isEqualTo(Outcome.RETRY);
    assertThat(reportOf(c -> fail(new NonRetryableException("x"))).outcome())
        .isEqualTo(Outcome.FAIL);
  }

  @Test
  void onlyWhatTheHandlerDidNotAskForIsUnexpected() {
    assertThat(reportOf(c -> fail(new IllegalStateException("x"))).unexpected()).isTrue();
    assertThat(reportOf(c -> StageResult.retry("busy")).unexpected()).isNull();
    assertThat(reportOf(c -> fail(new NonRetryableException("x"))).unexpected()).isNull();
  }

  @Test
  void aHandlerThatThrowsRunsAgainInItsHold() {
    List<String> runs = new ArrayList<>();
    Report report =
        reportOf(
            retriedHere(2),
            c -> {
              runs.add(c.localAttempt() + " of " + c.idempotencyKey());
              return runs.size() < 3 ? fail(new IllegalStateException("x")) : StageResult.done();
            });

    assertThat(report.outcome()).isEqualTo(Outcome.SUCCESS);
    String key = report.taskId() + ":one:1";
    assertThat(runs).containsExactly("1 of " + key, "2 of " + key, "3 of " + key);
    assertThat(worker.localRetries.count()).isEqualTo(2);
  }

  @Test
  void aFailureIsReportedWhenTheLocalRetriesAreUsedUp() {
    AtomicInteger runs = new AtomicInteger();
    Report report =
        reportOf(
            retriedHere(2), c -> fail(new IllegalStateException("run " + runs.incrementAndGet())));

    assertThat(runs).hasValue(3);
    assertThat(report.outcome()).isEqualTo(Outcome.RETRY);
    assertThat(report.unexpected()).isTrue();
    assertThat(report.localRetries()).isEqualTo(2);
    assertThat(report.errMsg()).contains("run 3");
  }

  @Test
  void noLocalRetryFollowsWhatNoOtherRunHereWouldMend() {
    for (Throwable thrown :
        List.of(
            new NonRetryableException("x"),
            new ResourceException("x"),
            new InterruptedException(),
            new OutOfMemoryError("x"))) {
      assertThat(runsOf(retriedHere(2), thrown)).as(thrown.toString()).isEqualTo(1);
    }
  }

  @Test
  void noLocalRetryFollowsIfItsPauseWouldReachTheEndOfTheAttempt() {
    StageNeeds patient = StageNeeds.nothing().retriedHere(2, Duration.ofSeconds(30));
    assertThat(runsOf(patient, new IllegalStateException("x"))).isEqualTo(1);
  }

  @Test
  void noLocalRetryFollowsOnceTheWorkerStops() {
    worker.localRetries.end();
    assertThat(runsOf(retriedHere(2), new IllegalStateException("x"))).isEqualTo(1);
  }

  @Test
  void noLocalRetryFollowsIfTheRunWasStoppedMeanwhile() {
    AtomicInteger runs = new AtomicInteger();
    AtomicReference<Run> run = new AtomicReference<>();
    StageHandler handler =
        c -> {
          runs.incrementAndGet();
          worker.ends.cancelled(run.get());
          throw new IllegalStateException("x");
        };
    run.set(worker.heldRun("", new RegisteredStage("one", handler, retriedHere(2))));
    worker.work(run.get());

    assertThat(runs).hasValue(1);
    assertThat(Thread.interrupted()).isFalse();
  }

  private static StageNeeds retriedHere(int retries) {
    return StageNeeds.nothing().retriedHere(retries, Duration.ZERO);
  }

  private int runsOf(StageNeeds needs, Throwable thrown) {
    AtomicInteger runs = new AtomicInteger();
    reportOf(
        needs,
        c -> {
          runs.incrementAndGet();
          return fail(thrown);
        });
    return runs.get();
  }

  private Report reportOf(StageNeeds needs, StageHandler handler) {
    worker.work(worker.heldRun("", new RegisteredStage("one", handler, needs)));
    worker.sendReports();
    List<Report> reports = worker.server.accepted();
    return reports.get(reports.size() - 1);
  }

  @Test
  void aThrowableIsToldWithItsRootCauseAndWhereItCameFrom() {
    Report report = reportOf(c -> fail(new IllegalStateException("outer", new Exception("inner"))));
    assertThat(report.errMsg())
        .startsWith("java.lang.IllegalStateException: outer; caused by java.lang.Exception: inner")
        .contains("at io.asyncflow.worker.internal.execute.StageRunnerTest");
  }

  @Test
  void whatAHandlerSaysOnPurposeIsToldAsItSaysIt() {
    Exception cause = new Exception("inner");
    Report report = reportOf(c -> fail(new NonRetryableException("no such voice", cause)));
    assertThat(report.errMsg()).isEqualTo("no such voice");
  }

  @Test
  void onlyWhatNobodyExpectedIsLoggedWithItsStack() {
    try (LoggedLines log = new LoggedLines(RunEnds.class)) {
      reportOf(c -> fail(new NonRetryableException("no such voice")));
      assertThat(log.stacks()).isZero();
      assertThat(log.lines().get(0)).endsWith("is reported as FAIL: no such voice");
      reportOf(c -> fail(new NonRetryableException("no such voice", new Exception())));
      reportOf(c -> fail(new IllegalStateException()));
      assertThat(log.stacks()).isEqualTo(2);
    }
  }

  @Test
  void noMessageOfAFailureForgesALineOfTheLogOrCommandsATerminal() {
    String hostile = "bad\r\n2026 ERROR forged \u001b[31m";
    try (LoggedLines log = new LoggedLines(RunEnds.class)) {
      reportOf(c -> fail(new NonRetryableException(hostile)));
      reportOf(c -> fail(new ResourceException(hostile)));
      Exception deep = new IllegalStateException("outer", new IOException(hostile));
      deep.addSuppressed(new IOException(hostile));
      reportOf(c -> fail(deep));
      assertThat(log.lines()).hasSize(3);
      assertThat(log.lines().get(0)).endsWith(": bad  2026 ERROR forged \uFFFD[31m");
      assertThat(log.lines().get(1)).endsWith(": bad  2026 ERROR forged \uFFFD[31m");
      assertThat(log.messagesOfStacks())
          .hasSize(3)
          .anyMatch(message -> message.contains("bad  2026 ERROR forged"))
          .noneMatch(message -> message.matches("(?s).*\\p{Cntrl}.*"));
    }
  }

  @Test
  void aRetryWithoutAReasonSaysSo() {
    assertThat(reportOf(c -> StageResult.retry(null)).errMsg())
        .isEqualTo("the handler gave no reason");
  }

  @Test
  void anInterruptOfItsOwnMakingIsAFailureLikeAnyOther() {
    Report report = reportOf(c -> fail(new InterruptedException("own")));
    assertThat(report.outcome()).isEqualTo(Outcome.RETRY);
  }

  @Test
  void anInterruptDoesNotReachTheNextRun() {
    Run run =
        worker.heldRun(
            c -> {
              Thread.currentThread().interrupt();
              return StageResult.done();
            });
    worker.work(run);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aBatchOfWhichOnlyCancelledRunsAreLeftIsInterrupted() {
    Run[] runs = new Run[2];
    workTogether(
        runs,
        batch -> {
          worker.ends.cancelled(runs[0]);
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
          batch.get(1).complete(StageResult.done());
          assertThat(Thread.currentThread().isInterrupted()).isTrue();
          assertThat(runs[0].overdue()).isTrue();
          worker.ticker.advance(Duration.ofSeconds(10));
          assertThat(runs[0].stuck(worker.ticker.nanos())).isTrue();
        });
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    worker.sendReports();
    assertThat(worker.server.accepted())
        .extracting(Report::taskId)
        .containsExactly(runs[1].task().taskId());
  }

  @Test
  void aBatchThatHasEndedItsCancelledRunsIsNotInterrupted() {
    Run[] runs = new Run[2];
    workTogether(
        runs,
        batch -> {
          worker.ends.cancelled(runs[0]);
          batch.get(0).fail(new InterruptedException("it was cancelled"));
          batch.get(1).complete(StageResult.done());
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
  }

  @Test
  void anErrorBeforeTheHandlerIsReportedAndItsThreadIsFree() {
    Run run = worker.heldRun(c -> StageResult.done());
    runnerThatCannotTrace().run(List.of(run), null);
    assertThat(run.overdue()).as("still on its thread").isFalse();
    assertReported(1);
  }

  @Test
  void anErrorBeforeABatchIsReportedForAllOfIt() {
    BatchStageHandler handler = batch -> batch.forEach(each -> each.complete(StageResult.done()));
    RegisteredStage stage = new RegisteredStage("one", handler, StageNeeds.nothing());
    List<Run> runs = List.of(worker.heldRun("", stage), worker.heldRun("", stage));
    runnerThatCannotTrace().run(runs, null);
    assertReported(2);
  }

  private StageRunner runnerThatCannotTrace() {
    return new StageRunner(
        worker.ends,
        new SlotPool(Map.of(), worker.ticker, worker.wakeUp),
        worker.localRetries,
        worker.ticker,
        worker.server,
        worker.server.store(),
        Sealing.OFF,
        new TracerWithoutItsClasses());
  }

  private void assertReported(int runs) {
    worker.sendReports();
    assertThat(worker.server.accepted())
        .hasSize(runs)
        .allMatch(report -> report.outcome() == Outcome.RETRY)
        .allMatch(report -> report.errMsg().contains("NoClassDefFoundError"));
    assertThat(worker.held.isEmpty()).isTrue();
  }

  private void workTogether(Run[] runs, BatchStageHandler handler) {
    List<Throwable> failures = new ArrayList<>();
    BatchStageHandler recorded =
        batch -> {
          try {
            handler.handle(batch);
          } catch (Throwable thrown) {
            failures.add(thrown);
          }
        };
    RegisteredStage stage = new RegisteredStage("one", recorded, StageNeeds.nothing());
    for (int i = 0; i < runs.length; i++) {
      runs[i] = worker.heldRun("", stage);
    }
    worker.runner.run(List.of(runs), null);
    assertThat(failures).isEmpty();
  }

  @Test
  void theContextTellsWhatTheTaskIs() throws Exception {
    List<StageContext> seen = new ArrayList<>();
    Run run =
        worker.heldRun(
            "raw",
            c -> {
              seen.add(c);
              assertThat(c.remaining()).isEqualTo(Duration.ofSeconds(29));
              assertThat(c.cancelled()).isFalse();
              return StageResult.done();
            });
    worker.work(run, new Slot("cuda:0", 1));
    StageContext context = seen.get(0);
    assertThat(context.taskType()).isEqualTo("lark");
    assertThat(context.stage()).isEqualTo("one");
    assertThat(context.userId()).isEqualTo("me");
    assertThat(context.attempt()).isEqualTo(1);
    assertThat(context.leaseEpoch()).isEqualTo(1);
    assertThat(context.traceId()).isEqualTo(run.task().traceId());
    assertThat(context.idempotencyKey()).isEqualTo(context.taskId() + ":one:1");
    assertThat(context.rawContext()).isEqualTo("raw");
    assertThat(context.slot()).contains(new Slot("cuda:0", 1));
  }

  @Test
  void theAttemptCountsTheRetriesOfTheStage() {
    worker.server.withType(
        "lark", Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(10));
    reportOf(c -> StageResult.retry("again", Duration.ZERO));
    List<Integer> attempts = new ArrayList<>();
    Run second =
        worker.heldRun(
            c -> {
              attempts.add(c.attempt());
              return StageResult.done();
            });
    worker.work(second);
    assertThat(attempts).containsExactly(2);
  }

  @Test
  void logLinesOfAHandlerNameItsRun() {
    Map<String, String> named = new HashMap<>();
    Run run =
        worker.heldRun(
            c -> {
              named.putAll(MDC.getCopyOfContextMap());
              return StageResult.done();
            });
    worker.work(run);
    Task task = run.task();
    assertThat(named)
        .containsEntry("taskId", task.taskId())
        .containsEntry("taskStage", task.taskStage())
        .containsEntry("taskAttempt", "1")
        .containsEntry("traceId", task.traceId())
        .containsEntry("holdTraceId", task.traceId())
        .hasSize(5);
    assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
  }

  @Test
  void aRunThatWouldHaveLessThanHalfOfItsTimeIsReleasedInstead() {
    Run run = worker.heldRun(c -> StageResult.done());
    worker.keepLeaseUntil(run.lease().startBy());
    worker.work(run);
    worker.sendReports();
    assertThat(worker.server.accepted()).extracting(Report::outcome).containsOnly(Outcome.RELEASE);
  }

  @Test
  void aRunWhoseLeaseRanOutWhileTheProcessWasFrozenDoesNotStart() {
    List<String> started = new ArrayList<>();
    Run run =
        worker.heldRun(
            c -> {
              started.add(c.taskId());
              return StageResult.done();
            });
    worker.ticker.advanceTo(run.lease().trustedUntil());
    worker.work(run);
    worker.sendReports();
    assertThat(started).isEmpty();
    assertThat(worker.server.reports()).isEmpty();
  }

  @Test
  void aRunThatWasGivenUpMeanwhileDoesNotStart() {
    List<String> started = new ArrayList<>();
    Run run =
        worker.heldRun(
            c -> {
              started.add(c.taskId());
              return StageResult.done();
            });
    worker.server.cancelTask(run.task().taskId());
    worker.beat();
    worker.work(run);
    assertThat(started).isEmpty();
  }

  @Test
  void aContextTooLargeForTheServerFailsTheTaskWithAClearReason() {
    worker.server.refuseObjects(ErrorCode.TOO_LARGE);
    Run run = worker.heldRun(c -> StageResult.next("two", "x".repeat(5000)));
    worker.work(run);
    worker.sendReports();
    worker.sendReports();
    Report report = worker.server.accepted().get(0);
    assertThat(report.outcome()).isEqualTo(Outcome.FAIL);
    assertThat(report.errMsg())
        .contains("NEXT_STAGE")
        .contains(String.valueOf(ErrorCode.TOO_LARGE.code()))
        .contains("5000 bytes");
  }

  private static StageResult fail(Throwable thrown) throws Exception {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (Exception) thrown;
  }

  private static StageResult endless(int depth) {
    return endless(depth + 1);
  }
}
