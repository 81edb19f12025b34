package io.asyncflow.flowsvr.queue.hold;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Workers that have something loaded ask for the stages that need it before all others. */
@UnsweptServer
@Tag("contract")
class PreferringHoldsIT {

  private static final int LONG = 20;

  @Autowired Given given;
  @Autowired TaskHolds holds;

  private final List<CompletableFuture<List<Task>>> parked = new ArrayList<>();

  @AfterEach
  void nobodyStaysParked() {
    parked.forEach(answer -> answer.cancel(false));
    assertThat(holds.parked()).isZero();
  }

  @Test
  void whatItPrefersComesBeforeWhatWasDueEarlier() {
    TaskType tts = given.aType().create();
    given.aWaitingTask().ofType(tts).inStage("other").dueSince(5, MINUTES).create(3);
    given.aWaitingTask().ofType(tts).inStage("loaded").dueSince(1, MINUTES).create(2);
    given.nextTable(tts);
    given.aWaitingTask().ofType(tts).inStage("other").dueSince(9, MINUTES).create();
    given.aWaitingTask().ofType(tts).inStage("loaded").dueSince(2, MINUTES).create(2);
    assertThat(given.aHold(tts).preferring("loaded", 1, SECONDS).limit(3).now())
        .extracting(Task::taskStage)
        .containsOnly("loaded");
    assertThat(given.aHold(tts).preferring("loaded", 1, SECONDS).limit(3).now())
        .extracting(Task::taskStage)
        .as("what it got, in due order")
        .containsExactly("other", "other", "loaded");
  }

  @Test
  void whatItDoesNotPreferIsLeftToOthersUntilItHasBeenDueForLong() throws Exception {
    TaskType tts = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(tts).inStage("other").create();
    assertThat(given.aHold(tts).preferring("loaded", 10, SECONDS).now()).isEmpty();

    CompletableFuture<List<Task>> choosy = park(given.aHold(tts).preferring("loaded", 1, SECONDS));
    Task task = choosy.get(LONG, SECONDS).get(0);
    assertThat(task.taskId()).isEqualTo(id.toString());
    assertThat(given.row(task).holdTime() - task.orderTime()).isGreaterThanOrEqualTo(1_000);
  }

  @Test
  void holdThatWaitsTakesTheOthersInTheOrderInWhichTheyBecameDue() throws Exception {
    TaskType tts = given.aType().create();
    List<TaskId> ids = new ArrayList<>();
    for (String stage : List.of("b", "c", "b")) {
      ids.add(given.aWaitingTask().ofType(tts).inStage(stage).create());
    }
    List<String> got = new ArrayList<>();
    while (got.size() < ids.size()) {
      park(given.aHold(tts).preferring("a", 200, MILLISECONDS).limit(1))
          .get(LONG, SECONDS)
          .forEach(task -> got.add(task.taskId()));
    }
    assertThat(got).containsExactlyElementsOf(ids.stream().map(TaskId::toString).toList());
  }

  @Test
  void whoPrefersItGetsItBeforeWhoCameFirstAndSoDoesWhoPrefersNothing() throws Exception {
    TaskType tts = given.aType().create();
    CompletableFuture<List<Task>> first =
        park(given.aHold(tts).by("w1").preferring("a", 10, SECONDS).limit(1));
    CompletableFuture<List<Task>> second =
        park(given.aHold(tts).by("w2").preferring("b", 10, SECONDS).limit(1));
    CompletableFuture<List<Task>> third = park(given.aHold(tts).by("w3").limit(1));
    given.aWaitingTask().ofType(tts).inStage("b").create();
    assertThat(second.get(LONG, SECONDS)).hasSize(1);
    given.aWaitingTask().ofType(tts).inStage("b").create();
    assertThat(third.get(LONG, SECONDS)).hasSize(1);
    assertThat(first).isNotDone();
    given.aWaitingTask().ofType(tts).inStage("a").create();
    assertThat(first.get(LONG, SECONDS)).extracting(Task::taskStage).containsExactly("a");
  }

  @Test
  void taskThatBecomesDueLaterIsLeftToOthersFromThenOn() throws Exception {
    TaskType tts = given.aType().create();
    given.aWaitingTask().ofType(tts).inStage("b").dueIn(300, MILLISECONDS).create();
    CompletableFuture<List<Task>> choosy =
        park(given.aHold(tts).by("w1").preferring("a", 10, SECONDS));
    CompletableFuture<List<Task>> other = park(given.aHold(tts).by("w2"));
    assertThat(other.get(LONG, SECONDS)).hasSize(1);
    assertThat(choosy).isNotDone();
  }

  private CompletableFuture<List<Task>> park(Given.AHold hold) {
    CompletableFuture<List<Task>> answer = hold.waiting(LONG, SECONDS);
    parked.add(answer);
    return answer;
  }
}
