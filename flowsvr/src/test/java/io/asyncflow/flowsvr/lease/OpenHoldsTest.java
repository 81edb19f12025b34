package io.asyncflow.flowsvr.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OpenHoldsTest {

  private final OpenHolds holds = new OpenHolds();

  private CompletableFuture<List<Task>> parkedBy(String worker) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    holds.add(worker, answer);
    return answer;
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
    holds.add("w", CompletableFuture.completedFuture(List.of()));
    assertThat(holds.seenWorkers()).containsExactly("w");
    assertThat(holds.seenWorkers()).isEmpty();
  }

  @Test
  void oldClientsAreNobody() {
    parkedBy("");
    assertThat(holds.seenWorkers()).isEmpty();
  }

  @Test
  void allParkedHoldsOfAWorkerThatIsSentAwayEndAndNobodyElses() {
    CompletableFuture<List<Task>> one = parkedBy("leaver");
    CompletableFuture<List<Task>> another = parkedBy("leaver");
    CompletableFuture<List<Task>> other = parkedBy("other");
    CompletableFuture<List<Task>> old = parkedBy("");

    holds.sendAway(Set.of("leaver"));

    assertThat(List.of(one, another)).allMatch(CompletableFuture::isCancelled);
    assertThat(List.of(other, old)).noneMatch(CompletableFuture::isDone);
    assertThat(holds.isSentAway("leaver")).isTrue();
    assertThat(holds.isSentAway("other")).isFalse();
    assertThat(holds.isSentAway("")).isFalse();
  }

  @Test
  void whoHadNoneParkedIsToldByItsNextHoldAndByThatAlone() {
    holds.sendAway(Set.of("leaver"));
    assertThat(parkedBy("leaver")).isCancelled();
    for (int poll = 0; poll < 3; poll++) {
      CompletableFuture<List<Task>> answer = parkedBy("leaver");
      holds.sendAway(Set.of("leaver")); // as every round says again
      assertThat(answer).isNotDone();
    }
  }

  @Test
  void whoHeedsNothingIsNoBusyLoop() {
    parkedBy("leaver");
    holds.sendAway(Set.of("leaver"));
    assertThat(parkedBy("leaver")).isNotDone();
  }

  @Test
  void aDrainThatWasTakenBackEndsNothing() {
    holds.sendAway(Set.of("leaver"));
    holds.sendAway(Set.of());
    assertThat(parkedBy("leaver")).isNotDone();
    assertThat(holds.isSentAway("leaver")).isFalse();
  }

  @Test
  void aServerThatStopsAnswersEverybody() {
    CompletableFuture<List<Task>> before = parkedBy("w");
    holds.answerAll();
    assertThat(List.of(before, parkedBy("w"), parkedBy("")))
        .allMatch(CompletableFuture::isCancelled);
  }
}
