package io.asyncflow.flowsvr.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.lease.WaitingLine.Served;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The line without a database: what a claim finds is scripted. */
@Timeout(20)
class WaitingLineTest {

  private static final Served NOTHING = new Served(List.of(), OptionalLong.empty());

  private final HoldThreads threads = new HoldThreads();
  private final BlockingQueue<Hold> asked = new LinkedBlockingQueue<>();
  private final BlockingQueue<List<Task>> givenBack = new LinkedBlockingQueue<>();
  private volatile Function<Hold, Served> script = hold -> NOTHING;
  private final WaitingLine line =
      new WaitingLine(
          hold -> {
            asked.add(hold);
            return script.apply(hold);
          },
          givenBack::add,
          threads);

  @AfterEach
  void stopThreads() {
    threads.close();
  }

  @Test
  void newsMakesTheLineAskForTheParkedHold() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
    assertThat(line.size()).isZero();
  }

  @Test
  void busyLinesLetOthersHaveTheirTurn() throws Exception {
    // As many lines as there are threads, each of which finds news in every round.
    List<WaitingLine> busy = new ArrayList<>();
    for (int i = 0; i < HoldThreads.SERVERS; i++) {
      WaitingLine[] self = new WaitingLine[1];
      self[0] =
          new WaitingLine(
              hold -> {
                self[0].news();
                return NOTHING;
              },
              givenBack::add,
              threads);
      self[0].park(aHold("busy" + i), self[0].newsCount(), OptionalLong.empty());
      self[0].news();
      busy.add(self[0]);
    }
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
    busy.forEach(WaitingLine::close);
  }

  @Test
  void newsBetweenTheLookAndTheParkingIsNotLost() throws Exception {
    long newsSeen = line.newsCount();
    line.news(); // nobody is parked yet
    script = hold -> found("t1");
    assertThat(idsOf(line.park(aHold("a"), newsSeen, OptionalLong.empty()))).containsExactly("t1");
  }

  @Test
  void newsWhileTheLineIsServedMakesItGoRoundAgain() throws Exception {
    CountDownLatch asking = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    script =
        hold -> {
          asking.countDown();
          await(goOn);
          return NOTHING;
        };
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    line.news();
    asking.await();
    line.news(); // the look under way may not have seen it
    script = hold -> found("t1");
    goOn.countDown();
    assertThat(idsOf(answer)).containsExactly("t1");
  }

  @Test
  void oneTaskGoesToTheFirstOfFifty() throws Exception {
    List<CompletableFuture<List<Task>>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      answers.add(park(aHold("h" + i)));
    }
    script = hold -> hold.holdId().equals("h0") ? found("t1") : NOTHING;
    line.news();
    assertThat(idsOf(answers.get(0))).containsExactly("t1");
    assertThat(line.size()).isEqualTo(49);
    assertThat(answers.stream().filter(CompletableFuture::isDone)).hasSize(1);
  }

  @Test
  void ofHoldsForTheSameStagesOnlyTheFirstAsksWhenNothingIsDue() throws Exception {
    for (int i = 0; i < 10; i++) {
      park(aHold("h" + i));
    }
    park(aHold("other", "second"));
    line.news();
    assertThat(asked.poll(5, SECONDS).holdId()).isEqualTo("h0");
    assertThat(asked.poll(5, SECONDS).holdId()).isEqualTo("other");
    assertThat(asked.poll(200, TimeUnit.MILLISECONDS)).isNull();
  }

  @Test
  void lineAsksWhenTheNextTaskIsDueAndNotAtTheFallback() throws Exception {
    script = hold -> found("t1");
    CompletableFuture<List<Task>> answer =
        line.park(aHold("a"), line.newsCount(), OptionalLong.of(20));
    assertThat(answer.get(600, TimeUnit.MILLISECONDS)).hasSize(1);
  }

  @Test
  void laterAlarmDoesNotPutOffASoonerOne() throws Exception {
    CompletableFuture<List<Task>> soon =
        line.park(aHold("soon"), line.newsCount(), OptionalLong.of(50));
    line.park(aHold("late", "second"), line.newsCount(), OptionalLong.of(700));
    script = hold -> hold.holdId().equals("soon") ? found("t1") : NOTHING;
    assertThat(soon.get(500, TimeUnit.MILLISECONDS)).hasSize(1);
  }

  @Test
  void fallbackAsksWithoutAnyNews() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script = hold -> found("t1");
    assertThat(answer.get(2_500, TimeUnit.MILLISECONDS)).hasSize(1);
  }

  @Test
  void holdLeavesEmptyHandedWhenItsTimeIsOver() throws Exception {
    Hold brief =
        new Hold(new TaskType("lark"), 1, "w", Duration.ofMillis(20), "brief", Set.of("first"));
    assertThat(park(brief).get(5, SECONDS)).isEmpty();
    assertThat(line.size()).isZero();
  }

  @Test
  void evenAnErrorDoesNotEndTheService() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script =
        hold -> {
          throw new StackOverflowError("of the test");
        };
    line.news();
    asked.take();
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
  }

  @Test
  void tasksTakenForACallerThatIsGoneAreGivenBack() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script =
        hold -> {
          answer.cancel(false);
          return found("t1");
        };
    line.news();
    assertThat(givenBack.poll(5, SECONDS)).extracting(Task::taskId).containsExactly("t1");
    assertThat(line.size()).isZero();
  }

  @Test
  void repeatTakesThePlaceOfTheParkedHold() throws Exception {
    CompletableFuture<List<Task>> first = park(aHold("a"));
    CompletableFuture<List<Task>> repeat = park(aHold("a"));
    assertThat(first.get(5, SECONDS)).isEmpty();
    assertThat(line.size()).isEqualTo(1);
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(repeat)).containsExactly("t1");
  }

  @Test
  void tasksTakenForAHoldThatWasRepeatedMeanwhileGoToTheRepeat() throws Exception {
    park(aHold("a"));
    BlockingQueue<CompletableFuture<List<Task>>> repeats = new LinkedBlockingQueue<>();
    script =
        hold -> {
          repeats.add(park(aHold("a")));
          repeats.add(park(aHold("a"))); // and once more
          return found("t1");
        };
    line.news();
    assertThat(repeats.poll(5, SECONDS).get(5, SECONDS)).isEmpty();
    assertThat(idsOf(repeats.poll(5, SECONDS))).containsExactly("t1");
    assertThat(givenBack).isEmpty();
  }

  @Test
  void tasksOfAHoldWhoseRepeatWasToldOfThemAreNotGivenBack() throws Exception {
    CompletableFuture<List<Task>> first = park(aHold("a"));
    script =
        hold -> {
          line.supersede(aHold("a"), true);
          return found("t1");
        };
    line.news();
    assertThat(first.get(5, SECONDS)).isEmpty();
    assertServedOnceMore();
    assertThat(givenBack).isEmpty();
  }

  @Test
  void tasksOfAHoldWhoseRepeatWasToldOfNoneAreGivenBack() throws Exception {
    park(aHold("a"));
    script =
        hold -> {
          line.supersede(aHold("a"), false);
          return found("t1");
        };
    line.news();
    assertThat(givenBack.poll(5, SECONDS)).hasSize(1);
  }

  @Test
  void tasksThatTheParkedCallerWasToldByAnotherLookAreNotGivenBack() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script =
        hold -> {
          answer.complete(found("t1").tasks());
          return found("t1");
        };
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
    assertServedOnceMore();
    assertThat(givenBack).isEmpty();
  }

  @Test
  void onlyTheSameWorkersSameHoldIsARepeat() {
    park(new Hold(new TaskType("lark"), 1, "w1", Duration.ofSeconds(10), "a", Set.of()));
    park(new Hold(new TaskType("lark"), 1, "w2", Duration.ofSeconds(10), "a", Set.of()));
    park(new Hold(new TaskType("lark"), 1, "w1", Duration.ofSeconds(10), "b", Set.of()));
    park(new Hold(new TaskType("lark"), 1, "w1", Duration.ofSeconds(10), null, Set.of()));
    park(new Hold(new TaskType("lark"), 1, "w1", Duration.ofSeconds(10), null, Set.of()));
    assertThat(line.size()).isEqualTo(5);
  }

  @Test
  void closedLineAnswersEverybodyAtOnce() throws Exception {
    CompletableFuture<List<Task>> parked = park(aHold("a"));
    line.close();
    assertThat(parked.get(5, SECONDS)).isEmpty();
    assertThat(park(aHold("b")).get(5, SECONDS)).isEmpty();
    assertThat(line.size()).isZero();
  }

  private CompletableFuture<List<Task>> park(Hold hold) {
    return line.park(hold, line.newsCount(), OptionalLong.empty());
  }

  /** Waits until the thread that was serving has come to the next round, and so done with this. */
  private void assertServedOnceMore() throws Exception {
    asked.clear();
    script = hold -> NOTHING;
    park(aHold("probe"));
    line.news();
    assertThat(asked.poll(5, SECONDS).holdId()).isEqualTo("probe");
  }

  private static List<String> idsOf(CompletableFuture<List<Task>> answer)
      throws InterruptedException, TimeoutException, ExecutionException {
    return answer.get(5, SECONDS).stream().map(Task::taskId).toList();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Hold aHold(String id) {
    return aHold(id, "first");
  }

  private static Hold aHold(String id, String stage) {
    return new Hold(new TaskType("lark"), 1, "w", Duration.ofSeconds(10), id, Set.of(stage));
  }

  private static Served found(String taskId) {
    Task task =
        new Task(
            "somebody",
            taskId,
            "lark",
            "first",
            2,
            0,
            0,
            0,
            3,
            10,
            "",
            "",
            0,
            0,
            1,
            1_000L,
            "w",
            0,
            "trace-of-" + taskId,
            null,
            null,
            null);
    return new Served(List.of(task), OptionalLong.empty());
  }
}
