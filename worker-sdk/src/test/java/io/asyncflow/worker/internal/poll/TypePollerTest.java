package io.asyncflow.worker.internal.poll;

import static io.asyncflow.worker.internal.poll.StubFlowClient.lostTask;
import static io.asyncflow.worker.internal.poll.StubFlowClient.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.run.TypeLimits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TypePollerTest {

  private HandDrivenPoller it = HandDrivenPoller.ofOpenStages();

  @AfterEach
  void close() {
    it.close();
  }

  private void use(HandDrivenPoller.Builder builder) {
    it.close();
    it = builder.build();
  }

  private String holdId(int hold) {
    return it.client.holds.get(hold).holdId();
  }

  @Nested
  class Holds {

    @Test
    void aHoldAsksForWhatCanStart() {
      use(HandDrivenPoller.with().threads(4).prefetch(3));
      it.turn();
      assertThat(it.client.lastHold().taskType()).isEqualTo("lark");
      assertThat(it.client.lastHold().workerId()).isEqualTo("w");
      assertThat(it.client.lastHold().limit()).isEqualTo(7);
      assertThat(it.client.lastHold().stages()).containsExactly("open", "other");
      assertThat(it.client.lastHold().waitMs()).isEqualTo(10_000);
    }

    @Test
    void neverMoreThanTheTypesLimit() {
      use(HandDrivenPoller.with().threads(4));
      it.limits =
          new TypeLimits(3, Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(30));
      it.turn();
      assertThat(it.client.lastHold().limit()).isEqualTo(3);
      assertThat(it.client.lastHold().waitMs()).isEqualTo(1_000);
    }

    @Test
    void chanceMakesALongPollUpToATenthShorter() {
      it.chance = 1;
      it.turn();
      assertThat(it.client.lastHold().waitMs()).isEqualTo(9_000);
    }

    @Test
    void whatRunsAndWhatWaitsIsTakenOffTheLimit() {
      use(HandDrivenPoller.with().threads(2).prefetch(4));
      it.client.thenTasks(
          task("1_lark_task_1", "open", 30_000),
          task("2_lark_task_1", "open", 30_000),
          task("3_lark_task_1", "open", 30_000));
      it.turn();
      it.turn();
      assertThat(it.client.lastHold().limit()).isEqualTo(3);
    }

    @Test
    void nothingFreeIsNoHold() {
      it.client.thenTasks(
          task("1_lark_task_1", "open", 30_000), task("2_lark_task_1", "open", 30_000));
      it.turn();
      assertThat(it.turn()).isEqualTo(Loop.UNTIL_WOKEN);
      assertThat(it.client.holds).hasSize(1);
    }

    @Test
    void aBacklogStopsPolling() {
      use(HandDrivenPoller.with().threads(1).prefetch(10).backlogThreshold(2));
      it.client.thenTasks(
          task("1_lark_task_1", "open", 30_000),
          task("2_lark_task_1", "open", 30_000),
          task("3_lark_task_1", "open", 30_000));
      it.turn();
      it.turn();
      assertThat(it.turn()).isEqualTo(Loop.UNTIL_WOKEN);
      assertThat(it.client.holds).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void aLostHoldAnswerIsAskedForAgainWithTheSameHoldId() {
      it.client.thenLoseTheAnswer().thenLoseTheAnswer();
      it.client.thenTasks(task("1_lark_task_1", "open", 30_000));
      assertThat(it.turn()).isEqualTo(Duration.ofMillis(100));
      assertThat(it.turn()).isEqualTo(Duration.ofMillis(200));
      it.turn();
      assertThat(it.client.holds).extracting(HoldRequest::holdId).containsOnly(holdId(0));
      assertThat(holdId(0)).isNotBlank().hasSizeLessThanOrEqualTo(64);
      assertThat(it.held.count("lark")).isEqualTo(1);
      it.turn();
      assertThat(holdId(3)).isNotEqualTo(holdId(0));
    }

    @Test
    void aLostAnswerIsAskedForEvenWhenThereIsRoomForNothingMore() {
      use(HandDrivenPoller.with().stage("gpu", true));
      it.client.thenLoseTheAnswer();
      it.turn();
      it.takeSlot();
      it.client.thenTasks(task("1_lark_task_1", "gpu", 30_000));
      it.turn();
      assertThat(holdId(1)).isEqualTo(holdId(0));
      assertThat(it.client.lastHold().limit()).isEqualTo(1);
      assertThat(it.client.lastHold().waitMs()).isZero();
      assertThat(it.held.count("lark")).isEqualTo(1);
    }

    @Test
    void everyHoldHasAnIdOfItsOwn() {
      it.turn();
      it.turn();
      assertThat(holdId(0)).isNotEqualTo(holdId(1));
    }

    @Test
    void aRefusedHoldIsOver() {
      it.client.thenThrow(new FlowException(ErrorCode.NO_SUCH_TASK_TYPE, "gone"));
      it.turn();
      it.turn();
      assertThat(holdId(0)).isNotEqualTo(holdId(1));
    }

    @Test
    void aHoldOfUnknownOutcomeIsRepeated() {
      it.client.thenThrow(new FlowException(ErrorCode.UNAVAILABLE, "perhaps"));
      it.client.thenThrow(
          new FlowUnreachableException("a firewall refuses the answer, or the call", null) {
            @Override
            public boolean retryable() {
              return false;
            }
          });
      it.turn();
      it.turn();
      it.turn();
      assertThat(holdId(0)).isEqualTo(holdId(1)).isEqualTo(holdId(2));
    }

    @Test
    void anOutageIsSaidOnceAndTheWaitsGrow() {
      try (LoggedLines log = new LoggedLines(TypePoller.class)) {
        for (int i = 0; i < 20; i++) {
          it.client.thenLoseTheAnswer();
        }
        Duration last = Duration.ZERO;
        for (int i = 0; i < 20; i++) {
          Duration wait = it.turn();
          assertThat(wait).isGreaterThanOrEqualTo(last);
          last = wait;
        }
        assertThat(last).isEqualTo(Duration.ofSeconds(5));
        assertThat(log.lines()).hasSize(1);
        assertThat(it.poller.problem()).isEqualTo("the answer got lost");
      }
      it.turn();
      assertThat(it.poller.problem()).isNull();
    }

    @Test
    void aPollerThatSleepsIsNotOneThatGetsNoAnswer() {
      OutageLog upload = new OutageLog(LoggerFactory.getLogger(getClass()), "upload", it.link);
      it.client.thenLoseTheAnswer();
      it.turn();
      assertThat(it.link.othersAreConnected(upload)).isFalse();

      it.limits = null; // for the worker is behind
      assertThat(it.turn()).isEqualTo(Loop.UNTIL_WOKEN);
      assertThat(it.link.othersAreConnected(upload)).isTrue();

      it.limits = HandDrivenPoller.LIMITS;
      it.client.thenLoseTheAnswer();
      it.turn();
      assertThat(it.link.othersAreConnected(upload)).isFalse();

      it.poller.stop();
      assertThat(it.turn()).isEqualTo(Loop.END);
      assertThat(it.link.othersAreConnected(upload)).isTrue();
    }

    @Test
    void aClientThatFailsAsItShouldNotIsNoEnd() {
      it.client.thenThrow(new IllegalStateException("a bug"));
      it.client.then(
          request -> {
            throw new StackOverflowError();
          });
      it.turn();
      it.turn();
      it.turn();
      assertThat(it.client.holds).hasSize(3);
      assertThat(it.poller.state()).isEqualTo(PollerState.PENDING);
    }

    @Test
    void answersThatBringNothingAtOnceAreNoBusyLoop() {
      for (int i = 0; i < 6; i++) {
        it.client.thenTasks();
      }
      assertThat(it.turn()).isZero();
      assertThat(it.turn()).isZero();
      assertThat(it.turn()).isZero();
      assertThat(it.turn()).isEqualTo(Duration.ofMillis(100));
      assertThat(it.turn()).isEqualTo(Duration.ofMillis(200));
    }
  }

  @Nested
  class Answers {

    @Test
    void aTaskWithoutAHandlerIsReleasedAtOnceAndTheBatchGoesOn() {
      it.client.thenTasks(
          task("1_lark_task_1", "unknown", 30_000), task("2_lark_task_1", "open", 30_000));
      it.turn();
      it.sender.runOnce();
      assertThat(it.client.reports).extracting(Report::taskId).containsExactly("1_lark_task_1");
      assertThat(it.client.reports).extracting(Report::outcome).containsExactly(Outcome.RELEASE);
      assertThat(it.held.count("lark")).isEqualTo(1);
    }

    @Test
    void ofLostTasksTheLikeliestPoisonRunsAloneAndTheOthersAreReleased() {
      use(HandDrivenPoller.with().threads(4));
      it.client.thenTasks(
          lostTask("1_lark_task_1", "open", 0),
          lostTask("2_lark_task_1", "open", 2),
          lostTask("3_lark_task_1", "open", 3),
          lostTask("4_lark_task_1", "open", 3));
      it.turn();
      assertThat(it.pool.queued()).as("waits until nobody is beside it").isEqualTo(1);
      it.sender.runOnce();
      await().atMost(Duration.ofSeconds(5)).until(() -> it.pool.working() == 1);
      assertThat(it.client.reports)
          .extracting(Report::taskId)
          .containsExactlyInAnyOrder("1_lark_task_1", "2_lark_task_1", "4_lark_task_1");
      assertThat(it.client.reports).extracting(Report::outcome).containsOnly(Outcome.RELEASE);
      assertThat(it.client.reports).extracting(Report::begun).containsOnly(false);

      assertThat(it.turn()).as("nothing is asked for beside it").isEqualTo(Loop.UNTIL_WOKEN);
      it.letGo.countDown();
      await()
          .atMost(Duration.ofSeconds(5))
          .until(
              () -> {
                it.turn();
                return it.client.holds.size() > 1;
              });
    }

    @Test
    void aTaskThatWasLostOnceIsAsGoodAsAnyOther() {
      it.client.thenTasks(
          lostTask("1_lark_task_1", "open", 1), lostTask("2_lark_task_1", "open", 1));
      it.turn();
      it.sender.runOnce();
      assertThat(it.client.reports).isEmpty();
      assertThat(it.held.count("lark")).isEqualTo(2);
    }

    @Test
    void whatDoesNotFitIsReleasedAtOnce() {
      it.client.thenTasks(
          task("1_lark_task_1", "open", 30_000),
          task("2_lark_task_1", "open", 30_000),
          task("3_lark_task_1", "open", 30_000));
      it.turn();
      it.sender.runOnce();
      assertThat(it.client.reports).extracting(Report::taskId).containsExactly("3_lark_task_1");
      assertThat(it.client.reports).extracting(Report::outcome).containsExactly(Outcome.RELEASE);
    }

    @Test
    void possiblePoisonThatAnotherTypeTookTheSlotFromWaitsForTheNext() {
      use(HandDrivenPoller.with().stage("gpu", true));
      it.client.then(
          request -> {
            it.takeSlot();
            return List.of(lostTask("1_lark_task_1", "gpu", 2));
          });
      it.turn();
      it.sender.runOnce();
      assertThat(it.client.reports).isEmpty();
      assertThat(it.pool.queued()).isEqualTo(1);
    }

    @Test
    void aTaskThatIsNonsenseIsPassedOver() {
      it.client.thenTasks(task(null, null, 30_000), task("2_lark_task_1", "open", 30_000));
      it.turn();
      assertThat(it.held.find("2_lark_task_1", 1)).isNotNull();
    }
  }

  @Nested
  class Slots {

    private void useSlots(int slots) {
      use(
          HandDrivenPoller.with()
              .threads(8)
              .slots(slots)
              .stage("open", false)
              .stage("gpu", true)
              .stage("tpu", true));
    }

    @Test
    void slotStagesAreAskedForByTheNumberOfFreeSlots() {
      useSlots(2);
      it.turn();
      assertThat(it.client.holds)
          .extracting(HoldRequest::stages)
          .containsExactly(List.of("gpu", "tpu"), List.of("open"), List.of("gpu", "tpu", "open"));
      assertThat(it.client.holds).extracting(HoldRequest::limit).containsExactly(2, 8, 2);
      assertThat(it.client.holds).extracting(HoldRequest::waitMs).containsExactly(0, 0, 10_000);
    }

    @Test
    void whatTheQuickRoundBringsIsNotWaitedOn() {
      useSlots(2);
      it.client.thenTasks(task("1_lark_task_1", "gpu", 30_000)).thenNothing();
      it.turn();
      assertThat(it.client.holds).hasSize(2);
    }

    @Test
    void withoutAFreeSlotOnlyTheOtherStagesAreAskedFor() {
      useSlots(1);
      it.takeSlot();
      it.turn();
      assertThat(it.client.holds).extracting(HoldRequest::stages).containsOnly(List.of("open"));
      assertThat(it.client.lastHold().limit()).isEqualTo(8);
      assertThat(it.client.lastHold().waitMs()).isEqualTo(10_000);
    }

    @Test
    void slotStagesAloneWithoutAFreeSlotAreNoHold() {
      use(HandDrivenPoller.with().stage("gpu", true));
      it.takeSlot();
      assertThat(it.turn()).isEqualTo(Loop.UNTIL_WOKEN);
      assertThat(it.client.holds).isEmpty();
    }

    @Test
    void nothingIsHeldForASlotThatAnotherTypeTookDuringTheTurn() {
      use(HandDrivenPoller.with().lock(true).stage("gpu", true));
      it.client.then(
          request -> {
            it.takeSlot();
            return List.of();
          });
      it.client.thenTasks(task("1_lark_task_1", "gpu", 30_000));
      it.turn();
      assertThat(it.client.holds).hasSize(1);
      assertThat(it.held.isEmpty()).isTrue();
      assertThat(it.turn()).isEqualTo(Loop.UNTIL_WOKEN);
    }

    @Test
    void aParkedHoldIsRepeatedForAllStagesWhenASlotIsFree() {
      useSlots(1);
      Slot slot = it.takeSlot();
      it.client.thenNothing();
      it.client.then(
          request -> {
            it.slots.free(slot);
            throw new FlowUnreachableException("interrupted", null);
          });
      assertThat(it.turn()).isZero();
      it.turn();
      assertThat(it.client.lastHold().stages()).containsExactly("gpu", "tpu", "open");
      assertThat(it.client.lastHold().waitMs()).isEqualTo(10_000);
      assertThat(holdId(2)).isEqualTo(holdId(1));
      assertThat(it.poller.problem()).isNull();
    }

    @Test
    void aParkedHoldThatAsksForEverythingIsNotCut() {
      useSlots(2);
      Slot slot = it.takeSlot();
      it.client.thenNothing().thenNothing();
      it.client.then(
          request -> {
            it.slots.free(slot);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            return List.of();
          });
      it.turn();
      assertThat(it.client.holds).hasSize(3);
    }
  }

  @Nested
  class Locks {

    @Test
    void theLockIsHeldRoundTheQuickHoldAndNotWhileParked() {
      use(HandDrivenPoller.with().lock(true));
      it.turn();
      assertThat(it.lockCalls).containsExactly("acquire lark after 0", "release lark after 1");
      assertThat(it.client.holds).extracting(HoldRequest::waitMs).containsExactly(0, 10_000);
    }

    @Test
    void whoDoesNotGetTheLockHoldsAllTheSame() {
      use(HandDrivenPoller.with().lock(false));
      it.client.thenTasks(task("1_lark_task_1", "open", 30_000));
      it.turn();
      assertThat(it.lockCalls).containsExactly("acquire lark after 0");
      assertThat(it.held.count("lark")).isEqualTo(1);
    }

    @Test
    void theLockIsReleasedWhenTheHoldFails() {
      use(HandDrivenPoller.with().lock(true));
      it.client.thenLoseTheAnswer();
      it.turn();
      assertThat(it.lockCalls).containsExactly("acquire lark after 0", "release lark after 1");
    }
  }

  @Nested
  class Times {

    @Test
    void anAnswerParkedForTooLongIsAskedForAgainUnderItsId() {
      it.limits =
          new TypeLimits(
              100, Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30));
      it.client.then(
          request -> {
            it.ticker.advance(Duration.ofSeconds(20));
            return List.of(task("1_lark_task_1", "open", 30_000));
          });
      it.client.thenTasks(task("1_lark_task_1", "open", 29_990));
      it.turn();
      assertThat(it.client.holds).hasSize(2);
      assertThat(holdId(1)).isEqualTo(holdId(0));
      assertThat(it.client.lastHold().waitMs()).isZero();
      assertThat(it.held.find("1_lark_task_1", 1).lease().renewAt())
          .isEqualTo(it.ticker.nanos() + Duration.ofSeconds(6).toNanos());
    }

    @Test
    void anAnswerParkedForAWhileStartsAtOnce() {
      it.client.then(
          request -> {
            it.ticker.advance(Duration.ofSeconds(9));
            return List.of(task("1_lark_task_1", "open", 30_000));
          });
      it.turn();
      assertThat(it.client.holds).hasSize(1);
      assertThat(it.held.count("lark")).isEqualTo(1);
    }
  }

  @Nested
  class Stop {

    @Test
    void whatAHoldCutByAStopHadGotIsReleased() {
      it.client.then(
          request -> {
            it.poller.stop();
            throw new FlowUnreachableException("interrupted", null);
          });
      it.client.thenTasks(task("1_lark_task_1", "open", 30_000));
      assertThat(it.turn()).isEqualTo(Loop.END);
      it.sender.runOnce();
      assertThat(holdId(1)).isEqualTo(holdId(0));
      assertThat(it.client.lastHold().waitMs()).isZero();
      assertThat(it.client.reports).extracting(Report::outcome).containsExactly(Outcome.RELEASE);
      assertThat(it.held.isEmpty()).isTrue();
    }

    @Test
    void anAnswerThatArrivesWithTheStopIsReleased() {
      it.client.then(
          request -> {
            it.poller.stop();
            it.pool.close();
            return List.of(task("1_lark_task_1", "open", 30_000));
          });
      it.turn();
      assertThat(it.turn()).isEqualTo(Loop.END);
      it.sender.runOnce();
      assertThat(it.client.holds).hasSize(1);
      assertThat(it.client.reports).extracting(Report::outcome).containsExactly(Outcome.RELEASE);
    }

    @Test
    void aStopWithoutAServerIsAStop() {
      it.client.thenLoseTheAnswer().thenLoseTheAnswer();
      it.turn();
      it.poller.stop();
      assertThat(it.turn()).isEqualTo(Loop.END);
      assertThat(it.poller.state()).isEqualTo(PollerState.STOPPED);
    }

    @Test
    void noHoldBeginsAfterAStop() {
      it.poller.stop();
      assertThat(it.turn()).isEqualTo(Loop.END);
      assertThat(it.client.holds).isEmpty();
    }

    /** One slot, three models, and a stage that needs none. */
  }

  @Nested
  class Models {

    private void useModels(int slots) {
      use(
          HandDrivenPoller.with()
              .slots(slots)
              .stage("split", false)
              .model("kokoro")
              .model("melo")
              .model("bark"));
    }

    /** As if so many runs had used the model on a slot and ended. */
    private void used(String model, int runs) {
      for (int run = 0; run < runs; run++) {
        it.slots.free(it.slots.tryTake(1, model).orElseThrow());
      }
    }

    @Test
    void aSlotOnWhichNothingIsLoadedTakesAnything() {
      useModels(2);
      used("kokoro", 1);
      it.turn();
      assertThat(it.client.holds).allMatch(hold -> hold.prefer() == null);
      assertThat(it.client.holds).allMatch(hold -> hold.othersAfterMs() == null);
    }

    @Test
    void whatIsLoadedIsAskedForAtOnceAndTheOthersAreLeftToOthersForASecond() {
      useModels(1);
      used("melo", 1);
      it.turn();
      HoldRequest quick = it.client.holds.get(0);
      assertThat(quick.stages()).containsExactly("kokoro", "melo", "bark");
      assertThat(quick.prefer()).containsExactly("melo");
      assertThat(quick.othersAfterMs()).isEqualTo(1_000);
      assertThat(it.client.holds.get(1).prefer()).as("the kind without slots").isNull();
      HoldRequest parked = it.client.lastHold();
      assertThat(parked.stages()).containsExactly("kokoro", "melo", "bark", "split");
      assertThat(parked.prefer()).containsExactly("melo", "split");
      assertThat(parked.othersAfterMs()).isEqualTo(1_000);
      assertThat(parked.waitMs()).isEqualTo(10_000);
    }

    @Test
    void ofSeveralLoadedModelsTheOneThatWaitsForItsSlotIsNotAskedForAgain() {
      useModels(2);
      Slot first = it.slots.tryTake(1, "kokoro").orElseThrow();
      used("melo", 1);
      it.slots.free(first);
      it.turn();
      assertThat(it.client.lastHold().prefer()).containsExactly("kokoro", "melo", "split");
      assertThat(it.client.lastHold().limit()).as("one by one").isEqualTo(1);

      it.client.thenTasks(task("1_lark_task_1", "kokoro", 30_000));
      it.turn();
      await().until(() -> it.slots.freePlaces() == 1);
      it.turn();
      assertThat(it.client.lastHold().prefer()).containsExactly("melo", "split");
    }

    @Test
    void whoseTurnIsOverIsAskedForAfterTheOthers() {
      useModels(1);
      used("melo", 20);
      it.ticker.advance(Duration.ofSeconds(10));
      it.turn();
      HoldRequest others = it.client.holds.get(0);
      assertThat(others.stages()).containsExactly("kokoro", "bark");
      assertThat(others.prefer()).isEmpty();
      assertThat(others.othersAfterMs())
          .as("what others will take is left to them")
          .isEqualTo(1_000);
      assertThat(others.waitMs()).isZero();
      assertThat(it.client.holds.get(1).prefer()).containsExactly("melo");

      int asked = it.client.holds.size();
      it.turn();
      assertThat(it.client.holds.get(asked).prefer()).as("its next turn").containsExactly("melo");
    }

    @Test
    void whoseTurnIsOverGivesItsSlotToOneOfTheOthers() {
      useModels(1);
      used("melo", 20);
      it.ticker.advance(Duration.ofSeconds(10));
      it.client.thenTasks(task("1_lark_task_1", "bark", 30_000));
      it.turn();
      assertThat(it.client.holds).hasSize(1);
      it.letGo.countDown();
      await().until(() -> it.slots.freeModels().equals(List.of("bark")));
    }

    @Test
    void slotThatIsFreedEndsAParkedHoldThatLeavesStagesToOthers() {
      useModels(2);
      Slot busy = it.slots.tryTake(1, "kokoro").orElseThrow();
      used("melo", 1);
      it.client.thenNothing(); // the quick round for slots
      it.client.thenNothing(); // and that for the others
      it.client.then(
          request -> {
            assertThat(request.prefer()).containsExactly("melo", "split");
            it.slots.free(busy);
            throw new FlowUnreachableException("interrupted", null);
          });
      assertThat(it.turn()).isZero();
      it.turn();
      assertThat(it.client.lastHold().prefer()).containsExactly("kokoro", "melo", "split");
      assertThat(it.client.lastHold().holdId()).isEqualTo(it.client.holds.get(2).holdId());
    }
  }
}
