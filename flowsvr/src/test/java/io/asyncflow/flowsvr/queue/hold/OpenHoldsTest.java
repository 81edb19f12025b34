package io.asyncflow.flowsvr.queue.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.Preference;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OpenHoldsTest {

  private final OpenHolds holds = new OpenHolds();

  private CompletableFuture<List<Task>> parkedBy(String worker) {
    return parkedBy(worker, "");
  }

  private CompletableFuture<List<Task>> parkedBy(String worker, String startId) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    holds.add(holdOf(worker, startId), answer);
    return answer;
  }

  private static Hold holdOf(String worker, String startId) {
    return new Hold(
        new TaskType("lark"),
        1,
        worker,
        Duration.ofSeconds(30),
        null,
        Set.of(),
        Preference.NONE,
        startId,
        0,
        null);
  }

  @Test
  void aWorkerIsSeenForAsLongAsItsHoldIsParked() {
    CompletableFuture<List<Task>> answer = parkedBy("w");
    for (int round = 0; round < 3; round++) {
      assertThat(holds.seenWorkers()).containsExactly("w");
    }
    answer.complete(List.of());
    assertThat(holds.seenWorkers()).isEmpty();
  }

  @Test
  void aHoldThatWasAnsweredAtOnceIsSeenOnce() {
    holds.add(holdOf("w", ""), CompletableFuture.completedFuture(List.of()));
    assertThat(holds.seenWorkers()).containsExactly("w");
    assertThat(holds.seenWorkers()).isEmpty();
  }

  @Test
  void oldClientsAreNobody() {
    parkedBy("");
    assertThat(holds.seenWorkers()).isEmpty();
  }

  @Test
  void allParkedHoldsOfADrainingWorkerEndAndNobodyElses() {
    CompletableFuture<List<Task>> one = parkedBy("leaver");
    CompletableFuture<List<Task>> another = parkedBy("leaver");
    CompletableFuture<List<Task>> other = parkedBy("other");
    CompletableFuture<List<Task>> old = parkedBy("");

    holds.setDraining(Map.of("leaver", new OpenHolds.Drain("", null)));

    assertThat(List.of(one, another)).allMatch(CompletableFuture::isCancelled);
    assertThat(List.of(other, old)).noneMatch(CompletableFuture::isDone);
    assertThat(holds.drainOf("leaver", "")).isPresent();
    assertThat(holds.drainOf("other", "")).isEmpty();
    assertThat(holds.drainOf("", "")).isEmpty();
  }

  @Test
  void whoHadNoneParkedIsToldByItsNextHoldAndByThatAlone() {
    holds.setDraining(Map.of("leaver", new OpenHolds.Drain("", null)));
    assertThat(parkedBy("leaver")).isCancelled();
    for (int poll = 0; poll < 3; poll++) {
      CompletableFuture<List<Task>> answer = parkedBy("leaver");
      holds.setDraining(
          Map.of("leaver", new OpenHolds.Drain("", null))); // as every round says again
      assertThat(answer).isNotDone();
    }
  }

  @Test
  void whoHeedsNothingIsNoBusyLoop() {
    parkedBy("leaver");
    holds.setDraining(Map.of("leaver", new OpenHolds.Drain("", null)));
    assertThat(parkedBy("leaver")).isNotDone();
  }

  @Test
  void aDrainThatWasTakenBackEndsNothing() {
    holds.setDraining(Map.of("leaver", new OpenHolds.Drain("", null)));
    holds.setDraining(Map.of());
    assertThat(parkedBy("leaver")).isNotDone();
    assertThat(holds.drainOf("leaver", "")).isEmpty();
  }

  @Test
  void aStartOfAWorkerIsDrainedAndNotTheNextOne() {
    CompletableFuture<List<Task>> first = parkedBy("pod-0", "start-1");
    CompletableFuture<List<Task>> next = parkedBy("pod-0", "start-2");
    CompletableFuture<List<Task>> silent = parkedBy("pod-0");

    holds.setDraining(Map.of("pod-0", new OpenHolds.Drain("start-1", null)));

    assertThat(List.of(first, silent)).allMatch(CompletableFuture::isCancelled);
    assertThat(next).isNotDone();
    assertThat(holds.drainOf("pod-0", "start-1")).isPresent();
    assertThat(holds.drainOf("pod-0", "start-2")).isEmpty();
    assertThat(holds.drainOf("pod-0", "")).as("it does not say").isPresent();
  }

  @Test
  void theNextStartDoesNotHearWhatTheOneBeforeHasNotHeard() {
    holds.setDraining(Map.of("pod-0", new OpenHolds.Drain("start-1", null)));
    assertThat(parkedBy("pod-0", "start-2")).isNotDone();
    assertThat(parkedBy("pod-0", "start-1")).isCancelled();
  }

  @Test
  void theNextStartIsDrainedWhenItIsItsTurn() {
    holds.setDraining(Map.of("pod-0", new OpenHolds.Drain("start-1", null)));
    CompletableFuture<List<Task>> next = parkedBy("pod-0", "start-2");
    holds.setDraining(Map.of("pod-0", new OpenHolds.Drain("start-2", null)));
    assertThat(next).isCancelled();
  }

  @Test
  void aServerThatStopsAnswersEverybody() {
    CompletableFuture<List<Task>> before = parkedBy("w");
    holds.answerAll();
    assertThat(List.of(before, parkedBy("w"), parkedBy("")))
        .allMatch(CompletableFuture::isCancelled);
  }
}
