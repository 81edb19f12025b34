package io.asyncflow.rules;

import static io.asyncflow.rules.TaskRows.NOW;
import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.EventKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HoldEndTest {

  /** Lease 30 s, hard end after 60 s, three retries after 5, 10, 20 s, quarantine past 10 holds. */
  private static final TypeRules TYPE = aType(60, 30);

  @Nested
  class Revoked {

    @Test
    void executingTaskIsDueAtOnceAndItsHoldIsSilenced() {
      TaskRow task =
          HoldEnd.revoked(
              aRow().heldBy("w").withEpoch(3).reportedUpTo(2, "r").failedTimes(1).build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.orderTime()).isEqualTo(NOW);
      assertThat(task.crtRetryNum()).isEqualTo(1);
      assertThat(task.reportId()).isNull();
      assertThat(task.scheduleLog()).contains("\"outcome\":\"REVOKED\"");
      assertThat(HoldFence.mayReport(task, 3)).isFalse();
    }

    @Test
    void waitingTaskKeepsItsDueTime() {
      TaskRow task = HoldEnd.revoked(aRow().withEpoch(3).dueAt(NOW + 5_000).build());
      assertThat(task.orderTime()).isEqualTo(NOW + 5_000);
      assertThat(HoldFence.mayReport(task, 3)).isFalse();
    }

    @Test
    void pausedTaskKeepsItsPlaceAndItsHoldIsSilenced() {
      TaskRow task = HoldEnd.paused(aRow().heldBy("w").withEpoch(3).dueAt(NOW - 5_000).build());
      assertThat(task.status()).isEqualTo(TaskStatus.PAUSED);
      assertThat(task.orderTime()).isEqualTo(NOW - 5_000);
      assertThat(task.scheduleLog()).contains("\"outcome\":\"REVOKED\"");
      assertThat(HoldFence.mayReport(task, 3)).isFalse();
    }
  }

  @Nested
  class OfAReport {

    private final TaskRows row =
        aRow().heldBy("w").withEpoch(4).reportedUpTo(3, "r3").failedTimes(2).deliveredTimes(5);

    @Test
    void successIsFinalAndKeepsTheResult() {
      TaskRow task = reported(row.build(), aReport(Outcome.SUCCESS).result("done").build());
      assertThat(task.status()).isEqualTo(TaskStatus.SUCCESS);
      assertThat(task.result()).isEqualTo("done");
      assertThat(task.stage()).isEqualTo("first");
      assertThat(task.context()).isEqualTo("{\"a\":1}");
    }

    @Test
    void failIsFinalWithoutARetry() {
      TaskRow task = reported(row.build(), aReport(Outcome.FAIL).message("no voice").build());
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
      assertThat(task.crtRetryNum()).isEqualTo(3);
      assertThat(task.scheduleLog()).contains("\"errMsg\":\"no voice\"", "\"outcome\":\"FAIL\"");
    }

    @Test
    void nextStageIsOrderedByPriorityAndCountsItsFailuresAnew() {
      TaskRow task =
          reported(
              row.withPriority(10).build(), aReport(Outcome.NEXT_STAGE).stage("second").build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.stage()).isEqualTo("second");
      assertThat(task.context()).isEqualTo("{\"a\":1}");
      assertThat(task.priority()).isEqualTo(10);
      assertThat(task.orderTime()).isEqualTo(NOW - 10_000);
      assertThat(task.crtRetryNum()).isZero();
    }

    @Test
    void nextStageMayBringContextAndPriority() {
      TaskRow task =
          reported(
              row.withPriority(10).build(),
              aReport(Outcome.NEXT_STAGE).stage("second").context("{}").priority(0).build());
      assertThat(task.context()).isEqualTo("{}");
      assertThat(task.priority()).isZero();
      assertThat(task.orderTime()).isEqualTo(NOW);

      task =
          reported(
              row.build(),
              aReport(Outcome.NEXT_STAGE).stage("second").context("").priority(31_536_000).build());
      assertThat(task.context()).isEmpty();
      assertThat(task.orderTime()).isEqualTo(NOW - 31_536_000_000L);
    }

    @ParameterizedTest
    @CsvSource({"0, 5", "1, 10", "2, 20"})
    void retryWaitsItsDelayWithoutPriority(int failedBefore, int seconds) {
      TaskRow task =
          reported(
              row.failedTimes(failedBefore).withPriority(100).build(),
              aReport(Outcome.RETRY).message("busy").build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.crtRetryNum()).isEqualTo(failedBefore + 1);
      assertThat(task.orderTime()).isEqualTo(NOW + seconds * 1_000L);
      assertThat(task.stage()).isEqualTo("first");
    }

    @Test
    void retryIsFinalWhenTheRetriesAreExhausted() {
      TaskRow task = reported(row.failedTimes(3).build(), aReport(Outcome.RETRY).build());
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
      assertThat(task.crtRetryNum()).isEqualTo(4);
    }

    @Test
    void ownNumberAndCapOfTheTaskWin() {
      TaskRow task =
          reported(row.failedTimes(3).withRetries(9, 12).build(), aReport(Outcome.RETRY).build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.orderTime()).isEqualTo(NOW + 12_000);

      task =
          reported(row.failedTimes(0).withRetries(0, 12).build(), aReport(Outcome.RETRY).build());
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
    }

    @Test
    void retryMayNameItsDelayButNotGoPastTheNumber() {
      TaskRow task =
          reported(row.failedTimes(0).build(), aReport(Outcome.RETRY).retryAfterMs(7L).build());
      assertThat(task.orderTime()).isEqualTo(NOW + 7);
      assertThat(task.crtRetryNum()).isEqualTo(1);
      task = reported(row.failedTimes(0).build(), aReport(Outcome.RETRY).retryAfterMs(0L).build());
      assertThat(task.orderTime()).isEqualTo(NOW);
      task = reported(row.failedTimes(3).build(), aReport(Outcome.RETRY).retryAfterMs(7L).build());
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
    }

    @Test
    void snoozeWaitsAndCountsNoAttempt() {
      TaskRow task = reported(row.build(), aReport(Outcome.SNOOZE).delayMs(1_234L).build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.orderTime()).isEqualTo(NOW + 1_234);
      assertThat(task.crtRetryNum()).isEqualTo(2);
    }

    @Test
    void releaseTouchesNothing() {
      TaskRow task = reported(row.withPriority(9).build(), aReport(Outcome.RELEASE).build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.orderTime()).isEqualTo(row.build().orderTime());
      assertThat(task.crtRetryNum()).isEqualTo(2);
      assertThat(task.priority()).isEqualTo(9);
      assertThat(task.stage()).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource(Outcome.class)
    void everyOutcomeClosesTheHoldAndTheCountOfDeliveries(Outcome outcome) {
      TaskRow task =
          reported(row.build(), aReport(outcome).id("r4").stage("second").delayMs(1L).build());
      assertThat(task.reportedEpoch()).isEqualTo(4);
      assertThat(task.reportId()).isEqualTo("r4");
      assertThat(task.deliveryCount()).isZero();
      assertThat(task.scheduleLog())
          .contains("\"outcome\":\"" + outcome + "\"", "\"leaseEpoch\":4", "\"cost\":\"10000ms\"");
    }

    @Test
    void releaseOfATaskThatWasNotBegunKeepsTheCountOfDeliveries() {
      TaskRow lostTwice = row.deliveredTimes(2).build();
      Report release = aReport(Outcome.RELEASE).build();
      assertThat(reported(lostTwice, release.withBegun(false)).deliveryCount()).isEqualTo(2);
      assertThat(reported(lostTwice, release.withBegun(true)).deliveryCount()).isZero();
      assertThat(reported(lostTwice, release).deliveryCount()).isZero();
      Report retry = aReport(Outcome.RETRY).build().withBegun(false);
      assertThat(reported(lostTwice, retry).deliveryCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Outcome.class)
    void unrepeatableReportForgetsTheIdOfTheLast(Outcome outcome) {
      TaskRow task = reported(row.build(), aReport(outcome).stage("second").delayMs(1L).build());
      assertThat(task.reportId()).isNull();
    }

    @Test
    void lateRetryOfAnAttemptThatTheSweepFoundTimedOutIsNotCountedTwice() {
      TaskRows swept =
          row.heldForMs(60_000).lastBeatMsAgo(3_000).inStatus(TaskStatus.WAITING).failedTimes(1);
      TaskRow task = reported(swept.build(), aReport(Outcome.RETRY).build());
      assertThat(task.crtRetryNum()).isEqualTo(1);
      assertThat(task.orderTime()).isEqualTo(NOW + 5_000);
      task = reported(swept.build(), aReport(Outcome.FAIL).build());
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
      assertThat(task.crtRetryNum()).isEqualTo(1);
    }

    @Test
    void lateRetryOfAWorkerThatWasTakenForLostIsCounted() {
      TaskRows swept = row.heldForMs(30_000).inStatus(TaskStatus.WAITING).failedTimes(0);
      assertThat(reported(swept.build(), aReport(Outcome.RETRY).build()).crtRetryNum())
          .isEqualTo(1);
    }
  }

  @Nested
  class OfTwoBudgets {

    private final TaskRows row =
        aRow().heldBy("w").withEpoch(4).failedTimes(3).withUnexpectedRetries(2);

    @Test
    void unexpectedFailureCountsAsAnyOtherWithoutALimitOfItsOwn() {
      TaskRow task = reported(aRow().heldBy("w").withEpoch(4).failedTimes(2).build(), unexpected());
      assertThat(task.crtRetryNum()).isEqualTo(3);
      assertThat(task.unexpectedNum()).isZero();
      assertThat(task.orderTime()).isEqualTo(NOW + 20_000);
    }

    @Test
    void unexpectedFailureUsesUpItsOwnRetriesAndWaitsByItsOwnCount() {
      TaskRow task = reported(row.failedUnexpectedly(1).build(), unexpected());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.unexpectedNum()).isEqualTo(2);
      assertThat(task.crtRetryNum()).isEqualTo(3);
      assertThat(task.orderTime()).isEqualTo(NOW + 10_000);
    }

    @Test
    void unexpectedFailureIsFinalWhenItsRetriesAreExhausted() {
      TaskRow task = reported(row.failedUnexpectedly(2).build(), unexpected());
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
      assertThat(task.unexpectedNum()).isEqualTo(3);
    }

    @Test
    void retryThatTheHandlerAskedForLeavesTheUnexpectedOnesAlone() {
      TaskRow task =
          reported(
              row.failedTimes(0).failedUnexpectedly(2).build(), aReport(Outcome.RETRY).build());
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.crtRetryNum()).isEqualTo(1);
      assertThat(task.unexpectedNum()).isEqualTo(2);
    }

    @Test
    void timeOutIsUnexpected() {
      TaskRow task =
          expired(row.failedUnexpectedly(1).heldForMs(60_000).lastBeatMsAgo(1_000).build(), TYPE);
      assertThat(task.unexpectedNum()).isEqualTo(2);
      assertThat(task.crtRetryNum()).isEqualTo(3);
    }

    @Test
    void lateReportOfAnAttemptThatTimedOutIsCountedInNeitherBudget() {
      TaskRow swept =
          row.failedTimes(0)
              .failedUnexpectedly(1)
              .heldForMs(60_000)
              .lastBeatMsAgo(1_000)
              .inStatus(TaskStatus.WAITING)
              .build();
      for (Report late : List.of(unexpected(), aReport(Outcome.RETRY).build())) {
        TaskRow task = reported(swept, late);
        assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
        assertThat(task.crtRetryNum()).isZero();
        assertThat(task.unexpectedNum()).isEqualTo(1);
      }
    }

    @Test
    void lostWorkerUsesUpNeither() {
      TaskRow task = expired(row.failedUnexpectedly(2).heldForMs(30_000).build(), TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.unexpectedNum()).isEqualTo(2);
      assertThat(task.crtRetryNum()).isEqualTo(3);
    }

    @Test
    void nextStageCountsBothAnew() {
      TaskRow task =
          reported(
              row.failedUnexpectedly(2).build(),
              aReport(Outcome.NEXT_STAGE).stage("second").build());
      assertThat(task.crtRetryNum()).isZero();
      assertThat(task.unexpectedNum()).isZero();
    }

    @Test
    void limitOfTheTypeHoldsForTasksWithoutOne() {
      TypeRules type =
          TypeRules.of(
              RecordCopy.with(
                  TaskTypeSettings.named("lark")
                      .withMaxProcessingTime(60)
                      .withRetryInterval(5)
                      .withMaxRetryInterval(20),
                  "maxUnexpectedRetries",
                  0));
      Report report = unexpected();
      TaskRow byType = aRow().heldBy("w").withEpoch(4).build();
      TaskRow byTask = aRow().heldBy("w").withEpoch(4).withUnexpectedRetries(1).build();
      assertThat(HoldEnd.reported(byType, report, type).makesFailed()).isTrue();
      assertThat(HoldEnd.reported(byTask, report, type).makesFailed()).isFalse();
    }

    @Test
    void logKeepsTheLocalRetries() {
      TaskRow task = reported(row.build(), unexpected().withLocalRetries(3));
      assertThat(task.scheduleLog()).contains("\"localRetries\":3");
    }

    private Report unexpected() {
      return aReport(Outcome.RETRY).build().withUnexpected(true);
    }
  }

  @Nested
  class OfALease {

    @Test
    void leaseOfAResidentTypeIsLostLongBeforeItsHardEndInThirtyYears() {
      TypeRules resident = aType(946_080_000, 30);
      TaskRow row = aRow().heldBy("w").heldForMs(40L * 86_400_000).lastBeatMsAgo(30_000).build();
      assertThat(HoldEnd.verdict(row, resident)).isEqualTo(HoldEnd.Verdict.WORKER_LOST);
    }

    @Test
    void attemptOfAResidentTypeTimesOutAfterThirtyYears() {
      TypeRules resident = aType(946_080_000, 30);
      TaskRow row = aRow().heldBy("w").heldForMs(946_080_000_000L).lastBeatMsAgo(5_000).build();
      assertThat(HoldEnd.verdict(row, resident)).isEqualTo(HoldEnd.Verdict.TIMED_OUT);
    }

    private final TaskRows row =
        aRow().heldBy("w").withEpoch(4).reportedUpTo(3, "r3").failedTimes(1).deliveredTimes(0);

    @Test
    void workerThatNeverBeatIsLostAndBurnsNoRetry() {
      TaskRow task = expired(row.heldForMs(30_000).build(), TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.crtRetryNum()).isEqualTo(1);
      assertThat(task.orderTime()).isEqualTo(row.build().orderTime()); // due at once
      assertThat(task.deliveryCount()).isEqualTo(1);
      assertThat(task.reportedEpoch()).isEqualTo(3);
      assertThat(task.reportId()).isEqualTo("r3");
      assertThat(task.scheduleLog()).contains("WORKER_LOST", "worker lost").doesNotContain("timed");
    }

    @Test
    void leaseThatAnOperatorEndsBurnsNeitherARetryNorADelivery() {
      TaskRow held = row.heldForMs(60_000).lastBeatMsAgo(6_000).build();
      TaskTransition end = HoldEnd.leaseEnded(held);
      TaskRow task = end.after();
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.crtRetryNum()).isEqualTo(held.crtRetryNum());
      assertThat(task.deliveryCount()).isEqualTo(held.deliveryCount());
      assertThat(task.orderTime()).isEqualTo(held.orderTime());
      assertThat(task.reportedEpoch()).isEqualTo(held.reportedEpoch());
      assertThat(end.kind()).isEqualTo(EventKind.REVOKED);
      assertThat(task.scheduleLog())
          .contains("OPERATOR", "an operator ended the lease")
          .doesNotContain("timed out", "heartbeat");
    }

    @Test
    void lateFailureAfterAnOperatorHasEndedTheLeaseCounts() {
      TaskRow held = aRow().heldBy("").withEpoch(4).heldForMs(60_000).build();
      TaskRow late =
          HoldEnd.reported(HoldEnd.leaseEnded(held).after(), aReport(Outcome.RETRY).build(), TYPE)
              .after();
      assertThat(late.crtRetryNum()).isEqualTo(held.crtRetryNum() + 1);
    }

    @Test
    void lateFailureCountsEvenIfAClientHasReplacedTheLogSince() {
      TaskRow ended =
          HoldEnd.leaseEnded(aRow().heldBy("").withEpoch(4).heldForMs(60_000).build()).after();
      TaskRow replaced = ended.copy().scheduleLog("{\"mine\":1}").row();
      TaskRow late = reported(replaced, aReport(Outcome.RETRY).build());
      assertThat(late.crtRetryNum()).isEqualTo(ended.crtRetryNum() + 1);
      assertThat(late.endedByOperator()).isFalse();
    }

    @Test
    void workerThatStoppedBeatingIsLost() {
      TaskRow task = expired(row.heldForMs(45_000).lastBeatMsAgo(30_000).build(), TYPE);
      assertThat(task.scheduleLog()).contains("WORKER_LOST");
      assertThat(task.crtRetryNum()).isEqualTo(1);
    }

    @Test
    void attemptThatBeatsUntilItsHardEndTimedOut() {
      TaskRow task = expired(row.heldForMs(60_000).lastBeatMsAgo(6_000).build(), TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.crtRetryNum()).isEqualTo(2);
      assertThat(task.orderTime()).isEqualTo(NOW + 10_000);
      assertThat(task.deliveryCount()).isEqualTo(1);
      assertThat(task.scheduleLog()).contains("TIMED_OUT", "timed out").doesNotContain("lost");
    }

    @Test
    void workerThatDiesLongBeforeTheHardEndIsLostAlthoughItHadBeaten() {
      TaskRow task = expired(row.heldForMs(60_000).lastBeatMsAgo(10_000).build(), TYPE);
      assertThat(task.scheduleLog()).contains("WORKER_LOST");
      assertThat(expired(row.heldForMs(60_000).lastBeatMsAgo(9_000).build(), TYPE).scheduleLog())
          .contains("TIMED_OUT");
    }

    @Test
    void withTheDefaultsDeathBurnsNoRetryUnlessItIsNearTheEnd() {
      TypeRules defaults = aType(30, 30);
      assertThat(
              expired(row.heldForMs(30_000).lastBeatMsAgo(12_000).build(), defaults).scheduleLog())
          .contains("WORKER_LOST");
      assertThat(
              expired(row.heldForMs(30_000).lastBeatMsAgo(6_000).build(), defaults).scheduleLog())
          .contains("TIMED_OUT");
    }

    @Test
    void whereTheHardEndIsSoonerThanALeaseThatDecides() {
      TypeRules shortOne = aType(10, 30);
      assertThat(
              expired(row.heldForMs(10_000).lastBeatMsAgo(4_000).build(), shortOne).scheduleLog())
          .contains("WORKER_LOST");
      assertThat(
              expired(row.heldForMs(10_000).lastBeatMsAgo(3_000).build(), shortOne).scheduleLog())
          .contains("TIMED_OUT");
    }

    @Test
    void attemptOfAnOldClientTimedOut() {
      TaskRow task = expired(row.heldBy("").heldForMs(60_000).build(), TYPE);
      assertThat(task.crtRetryNum()).isEqualTo(2);
      assertThat(task.scheduleLog()).contains("TIMED_OUT");
    }

    @Test
    void taskInTheQueueOfAnOldWorkerIsLostWithItAndNoRetryIsUsedUp() {
      TaskRow held = row.heldBy("").heldForMs(3_660_000).failedTimes(3).build();
      assertThat(Leases.ofQueue(Duration.ofHours(1), TYPE)).hasMillis(3_660_000);

      TaskRow task = expired(held, TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
      assertThat(task.orderTime()).isEqualTo(held.orderTime());
      assertThat(task.crtRetryNum()).isEqualTo(3);
      assertThat(task.deliveryCount()).isEqualTo(1);
      assertThat(task.scheduleLog()).contains("WORKER_LOST", "no word of the task within 3660 s");

      assertThat(expired(row.deliveredTimes(10).build(), TYPE).status())
          .as("poison has an end there, too")
          .isEqualTo(TaskStatus.FAILED);
    }

    @Test
    void attemptThatAnOldClientSaidToHaveBegunTimedOut() {
      TaskRow task = expired(row.heldBy("").heldForMs(90_000).lastBeatMsAgo(60_000).build(), TYPE);
      assertThat(task.crtRetryNum()).isEqualTo(2);
      assertThat(task.scheduleLog()).contains("TIMED_OUT");
    }

    @Test
    void timeOutIsFinalWhenTheRetriesAreExhausted() {
      TaskRow task =
          expired(row.failedTimes(3).heldForMs(60_000).lastBeatMsAgo(1_000).build(), TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
      assertThat(task.crtRetryNum()).isEqualTo(4);
      assertThat(task.scheduleLog()).contains("TIMED_OUT");
    }

    @Test
    void lostWorkersNeverExhaustTheRetries() {
      TaskRow task = expired(row.failedTimes(3).heldForMs(30_000).build(), TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.WAITING);
    }

    @Test
    void taskIsPoisonAfterTooManyHoldsWithoutAReport() {
      assertThat(expired(row.deliveredTimes(9).heldForMs(30_000).build(), TYPE).status())
          .isEqualTo(TaskStatus.WAITING);

      TaskRow task = expired(row.deliveredTimes(10).heldForMs(30_000).build(), TYPE);
      assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
      assertThat(task.deliveryCount()).isEqualTo(11);
      assertThat(task.crtRetryNum()).isEqualTo(1);
      assertThat(task.scheduleLog())
          .contains("POISON", "11 holds in a row", "max_delivery 10", "worker lost");
    }
  }

  private static TaskRow reported(TaskRow row, Report report) {
    return HoldEnd.reported(row, report, TYPE).after();
  }

  private static TaskRow expired(TaskRow row, TypeRules type) {
    return HoldEnd.expired(row, type).after();
  }

  static TypeRules aType(int maxProcessingTime, int leaseSeconds) {
    return TypeRules.of(
        TaskTypeSettings.named("lark")
            .withScheduleLimit(100)
            .withScheduleInterval(10)
            .withMaxProcessingTime(maxProcessingTime)
            .withMaxRetryNum(3)
            .withRetryInterval(5)
            .withMaxRetryInterval(20)
            .withLeaseSeconds(leaseSeconds)
            .withMaxDelivery(10));
  }

  private static AReport aReport(Outcome outcome) {
    return new AReport(outcome);
  }

  private static final class AReport {
    private final Outcome outcome;
    private String id;
    private String stage;
    private String context;
    private Integer priority;
    private String result;
    private String message;
    private Long retryAfterMs;
    private Long delayMs;

    AReport(Outcome outcome) {
      this.outcome = outcome;
    }

    AReport id(String value) {
      id = value;
      return this;
    }

    AReport stage(String value) {
      stage = value;
      return this;
    }

    AReport context(String value) {
      context = value;
      return this;
    }

    AReport priority(int value) {
      priority = value;
      return this;
    }

    AReport result(String value) {
      result = value;
      return this;
    }

    AReport message(String value) {
      message = value;
      return this;
    }

    AReport retryAfterMs(Long value) {
      retryAfterMs = value;
      return this;
    }

    AReport delayMs(Long value) {
      delayMs = value;
      return this;
    }

    Report build() {
      return Report.of(TaskRows.id().toString(), "w", 4, outcome)
          .withReportId(id)
          .withNext(stage, context, priority)
          .withResult(result)
          .withErrMsg(message)
          .withRetryAfterMs(retryAfterMs)
          .withDelayMs(delayMs);
    }
  }
}
