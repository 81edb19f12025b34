package io.asyncflow.flowsvr.queue.claim;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@RunningServer
@Tag("contract")
class ClaimLimitsIT {

  @Autowired Given given;

  private TaskType aTypeWith(String column, int limit) {
    TaskType type = given.aType().create();
    given.change(type, column, limit);
    return type;
  }

  @Test
  void manyWhoHoldAtOnceNeverExceedMaxExecuting() {
    TaskType lark = aTypeWith("max_executing", 5);
    given.aWaitingTask().ofType(lark).create(20);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create(20);

    List<Task> held =
        AtOnce.from(8, i -> given.aHold(lark).by("w" + i).limit(3).now()).stream()
            .flatMap(List::stream)
            .toList();

    assertThat(held).hasSize(5).extracting(Task::taskId).doesNotHaveDuplicates();
    assertThat(given.aHold(lark).now()).isEmpty();

    given.reportOn(held.get(0)).success(null);
    given.reportOn(held.get(1)).retry("again");
    assertThat(given.aHold(lark).now()).hasSize(2);
  }

  @Test
  void whatAnotherServerTookFromATableOfItsOwnCounts() {
    TaskType lark = aTypeWith("max_executing", 2);
    given.aWaitingTask().ofType(lark).create(20);
    assertThat(given.aHold(lark).limit(1).now()).hasSize(1);

    given.nextTableOfAnotherServer(lark);

    assertThat(given.aHold(lark).limit(2).now())
        .as("this server has not seen the table yet")
        .isEmpty();
  }

  @Test
  void aSlotThatIsFreedIsTakenAtOnce() throws Exception {
    TaskType lark = aTypeWith("max_executing", 1);
    given.aWaitingTask().ofType(lark).create(50);
    Task task = given.aHold(lark).theTask();
    long begin = System.nanoTime();
    for (int i = 0; i < 40; i++) {
      CompletableFuture<List<Task>> next = given.aHold(lark).waiting(20, SECONDS);
      given.reportOn(task).success(null);
      task = next.get(20, SECONDS).get(0);
    }
    assertThat(System.nanoTime() - begin)
        .as("far less than a scan each")
        .isLessThan(SECONDS.toNanos(20));
  }

  @Test
  void aWorkerThatDiesTakesNoSlotWithIt() {
    TaskType lark = aTypeWith("max_executing", 1);
    TaskId first = given.aWaitingTask().ofType(lark).create();
    given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).theTask();
    assertThat(given.aHold(lark).now()).isEmpty();

    given.letPass(1, HOURS, first);

    await() // a table without leases rests for as long as its shortest one
        .atMost(1, MINUTES)
        .until(() -> given.aHold(lark).now().size() == 1);
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void theRateHoldsOverAllWhoAsk() {
    TaskType lark = aTypeWith("rate_limit", 50);
    given.aWaitingTask().ofType(lark).create(1_000);
    long begin = System.nanoTime();
    List<List<Long>> times =
        AtOnce.from(
            4,
            thread -> {
              List<Long> assignment = new ArrayList<>();
              while (System.nanoTime() - begin < SECONDS.toNanos(3)) {
                List<Task> held = given.aHold(lark).by("w" + thread).waiting(1, SECONDS).join();
                held.forEach(task -> assignment.add(given.row(task).holdTime()));
              }
              return assignment;
            });

    List<Long> all = times.stream().flatMap(List::stream).sorted().toList();
    assertThat(all).hasSizeGreaterThan(50);
    for (int i = 0; i + 57 < all.size(); i++) {
      assertThat(all.get(i + 57) - all.get(i))
          .as("58 holds, a second's permits and a tenth's and some jitter of clocks, take a second")
          .isGreaterThan(950);
    }
  }

  @Test
  void aHoldThatIsRepeatedSpendsNothing() {
    TaskType lark = aTypeWith("max_executing", 2);
    given.aWaitingTask().ofType(lark).create(5);
    List<Task> first = given.aHold(lark).limit(2).withId("h1").now();
    List<Task> again = given.aHold(lark).limit(2).withId("h1").now();
    assertThat(again).extracting(Task::taskId).containsExactlyElementsOf(idsOf(first));
  }

  @Test
  void aHoldThatIsRepeatedGetsItsTasksThoughTheTypeIsPaused() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(5);
    List<Task> first = given.aHold(lark).limit(2).withId("h1").now();
    given.change(lark, "paused", 1);
    List<Task> again = given.aHold(lark).limit(2).withId("h1").now();
    assertThat(again).extracting(Task::taskId).containsExactlyElementsOf(idsOf(first));
  }

  private static List<String> idsOf(List<Task> tasks) {
    return tasks.stream().map(Task::taskId).toList();
  }
}
