package io.asyncflow.flowsvr.queue.hold;

import static java.util.Collections.nCopies;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimResult;
import io.asyncflow.flowsvr.queue.hold.HoldQueue.KeptHolds;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The line without a database: what a claim finds is scripted. */
@Timeout(20)
class HoldQueueTest {

  private static final List<Task> NOTHING = List.of();

  /** So long that on a busy machine no line asks by itself before a test has brought its news. */
  private static final long QUIET_MS = 5_000;

  private final HoldThreads threads = new HoldThreads();
  private final BlockingQueue<List<Hold>> claims = new LinkedBlockingQueue<>();
  private final BlockingQueue<List<Task>> released = new LinkedBlockingQueue<>();
  private final AtomicLong moved = new AtomicLong();
  private volatile Function<Hold, List<Task>> script = hold -> NOTHING;
  private volatile ToLongFunction<Hold> quiet = hold -> QUIET_MS;
  private volatile Predicate<Hold> complete = hold -> true;
  private volatile List<ClaimRequest> lastAsking;
  private final HoldQueue line =
      new HoldQueue(
          this::claim,
          hold -> quiet.applyAsLong(hold),
          released::add,
          threads,
          () -> System.nanoTime() + moved.get());

  private ClaimResult<Task> claim(List<ClaimRequest> asking) {
    List<Hold> holds = asking.stream().map(ClaimRequest::hold).toList();
    lastAsking = asking;
    claims.add(holds);
    List<List<Task>> tasks = holds.stream().map(script).toList();
    return new ClaimResult<>(tasks, QUIET_MS, holds.stream().map(complete::test).toList());
  }

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
  void roundThatAnArrivalCausedAsksForItsLanesAlone() throws Exception {
    park(aHold("parked"));
    quiet = hold -> 0; // as in a type with lanes
    line.join(aHold("newcomer"));
    assertThat(lastAsking)
        .extracting(ClaimRequest::asksLanes)
        .as("the parked one, the newcomer")
        .containsExactly(false, true);
    claims.clear();
    line.news();
    assertThat(claims.poll(10, SECONDS)).hasSize(2);
    assertThat(lastAsking).allMatch(ClaimRequest::asksLanes);
  }

  @Test
  void busyLinesLetOthersHaveTheirTurn() throws Exception {
    // As many lines as there are threads, each of which finds news in every round.
    for (int i = 0; i < HoldThreads.POOL_SIZE; i++) {
      HoldQueue[] self = new HoldQueue[1];
      self[0] =
          new HoldQueue(
              holds -> {
                self[0].news();
                return new ClaimResult<>(
                    nCopies(holds.size(), NOTHING), QUIET_MS, nCopies(holds.size(), true));
              },
              hold -> QUIET_MS,
              released::add,
              threads,
              System::nanoTime);
      self[0].join(aHold("busy" + i));
      self[0].news();
    }
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
  }

  @Test
  void loneHoldIsServedInItsOwnThread() {
    quiet = hold -> 0;
    Thread[] server = new Thread[1];
    script =
        hold -> {
          server[0] = Thread.currentThread();
          return found("t1");
        };
    assertThat(line.join(aHold("a"))).isCompleted();
    assertThat(server[0]).isSameAs(Thread.currentThread());
  }

  @Test
  void holdsThatComeWhileAClaimRunsShareTheNext() throws Exception {
    quiet = hold -> 0;
    List<CompletableFuture<List<Task>>> late = new ArrayList<>();
    script =
        first -> {
          script = hold -> found("for " + hold.holdId());
          for (String id : List.of("b", "c", "d")) {
            late.add(line.join(aHold(id)));
          }
          return found("for a");
        };
    assertThat(idsOf(line.join(aHold("a")))).containsExactly("for a");
    assertThat(idsOf(late.get(0))).containsExactly("for b");
    assertThat(idsOf(late.get(2))).containsExactly("for d");
    assertThat(claims.stream().map(List::size)).containsExactly(1, 3);
  }

  @Test
  void holdIsParkedOnceAClaimHadNothingForIt() {
    quiet = hold -> 0;
    List<Integer> parked = new ArrayList<>();
    script =
        hold -> {
          parked.add(line.parked());
          return NOTHING;
        };
    line.join(aHold("a"));
    line.join(aHold("b"));
    assertThat(parked).containsExactly(0, 1, 1); // the second claim is for both
    assertThat(line.parked()).isEqualTo(2);
  }

  @Test
  void newsBetweenTheJoiningAndTheParkingIsNotLost() throws Exception {
    script = hold -> found("t1");
    quiet =
        hold -> {
          line.news();
          return QUIET_MS;
        };
    assertThat(idsOf(line.join(aHold("a")))).containsExactly("t1");
  }

  @Test
  void holdThatDoesNotWaitIsAnsweredByItsFirstClaim() {
    quiet = hold -> QUIET_MS; // it asks all the same
    assertThat(line.join(brief("a", 0))).isCompletedWithValue(NOTHING);
    assertThat(claims).hasSize(1);
  }

  @Test
  void holdThatDoesNotWaitIsAskedForAgainWhereSomebodyHasLockedWhatIsDue() throws Exception {
    complete = hold -> false;
    script =
        hold -> {
          script = again -> found("t1");
          return NOTHING;
        };
    assertThat(idsOf(line.join(brief("a", 0)))).containsExactly("t1");
  }

  @Test
  void holdThatDoesNotWaitIsNotKeptForEver() throws Exception {
    complete = hold -> false;
    assertThat(line.join(brief("a", 0)).get(30, SECONDS)).isEmpty();
  }

  @Test
  void holdThatDoesNotWaitIsAnsweredAlthoughOthersGetSomethingInEveryUnsureRound()
      throws Exception {
    whileOthersGetSomethingInEveryRound();
    assertThat(line.join(brief("quiet", 0)).get(5, SECONDS)).isEmpty();
  }

  @Test
  void holdThatWaitsIsTimedAlthoughOthersGetSomethingInEveryUnsureRound() throws Exception {
    whileOthersGetSomethingInEveryRound();
    assertThat(line.join(brief("quiet", 100)).get(5, SECONDS)).isEmpty();
  }

  @Test
  void holdThatDoesNotWaitIsAnsweredByTheRoundThatIsSureOfIt() throws Exception {
    whileOthersGetSomethingInEveryRound();
    AtomicInteger asked = new AtomicInteger();
    complete = hold -> hold.holdId().equals("quiet") && asked.incrementAndGet() == 2;
    assertThat(line.join(brief("quiet", 0)).get(5, SECONDS)).isEmpty();
    assertThat(asked).hasValue(2);
  }

  @Test
  void timeOfAHoldThatWaitsCountsFromItsComing() throws Exception {
    quiet = hold -> 0;
    script =
        hold -> {
          moved.addAndGet(HOURS.toNanos(1)); // the claim takes an hour
          return NOTHING;
        };
    assertThat(line.join(aHold("a")).get(5, SECONDS)).isEmpty();
  }

  /** Each that gets something is followed by the next, as pollers of a busy stage are. */
  private void whileOthersGetSomethingInEveryRound() {
    AtomicInteger next = new AtomicInteger();
    quiet = hold -> 0;
    complete = hold -> false;
    script =
        hold -> {
          if (hold.holdId().equals("quiet")) {
            return NOTHING;
          }
          line.join(aHold("busy" + next.incrementAndGet()));
          return found("for " + hold.holdId());
        };
    line.join(aHold("busy"));
  }

  @Test
  void whoCameForAClaimIsToldThatItFailedAndWhoWaitsGoesOnWaiting() throws Exception {
    CompletableFuture<List<Task>> waits = park(aHold("waits"));
    quiet = hold -> 0;
    script =
        hold -> {
          throw new IllegalStateException("no database");
        };
    CompletableFuture<List<Task>> came = line.join(aHold("came"));
    assertThat(came).isCompletedExceptionally();
    assertThat(waits).isNotDone();
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(waits)).containsExactly("t1");
  }

  @Test
  void claimAfterAFailedOneReadsWhetherThatOneGaveAnything() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    line.news();
    claims.poll(30, SECONDS);
    line.news();
    Awaitility.await().until(() -> !lastAsking.get(0).possibleRepeat()); // the first one read it
    CountDownLatch failed = new CountDownLatch(1);
    script =
        hold -> {
          failed.countDown();
          throw new IllegalStateException("the answer to a COMMIT was lost");
        };
    line.news();
    await(failed);
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
    assertThat(lastAsking.get(0).possibleRepeat()).isTrue();
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
  void allWhoWaitAreServedByOneClaimInTheirOrder() throws Exception {
    for (int i = 0; i < 10; i++) {
      park(aHold("h" + i));
    }
    park(aHold("other", "second"));
    line.news();
    List<Hold> together = claims.poll(30, SECONDS);
    assertThat(together).hasSize(11);
    assertThat(together.get(0).holdId()).isEqualTo("h0");
    assertThat(together.get(10).holdId()).isEqualTo("other");
  }

  @Test
  void lineAsksWhenTheNextTaskIsDue() throws Exception {
    script = hold -> found("t1");
    quiet = hold -> 20;
    assertThat(idsOf(line.join(aHold("a")))).containsExactly("t1");
  }

  @Test
  void alarmAsksWithoutAnyNews() throws Exception {
    quiet = hold -> 50;
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script = hold -> found("t1");
    assertThat(idsOf(answer)).containsExactly("t1");
  }

  @Test
  void holdLeavesEmptyHandedWhenItsTimeIsOver() throws Exception {
    assertThat(park(brief("a", 20)).get(30, SECONDS)).isEmpty();
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
    claims.take();
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
  }

  @Test
  void aThreadThatCannotBeStartedDoesNotEndTheService() throws Exception {
    CountDownLatch refused = new CountDownLatch(2);
    try (HoldThreads few = new HoldThreads(work -> threadAfter(refused, work))) {
      HoldQueue line =
          new HoldQueue(this::claim, hold -> QUIET_MS, released::add, few, System::nanoTime);
      CompletableFuture<List<Task>> answer = line.join(aHold("a"));
      script = hold -> found("t1");
      line.news();
      assertThat(refused.getCount()).as("told to nobody who brings news").isLessThan(2);
      assertThat(answer.get(10, SECONDS)).extracting(Task::taskId).containsExactly("t1");
    }
  }

  private static Thread threadAfter(CountDownLatch refused, Runnable work) {
    if (refused.getCount() > 0) {
      refused.countDown();
      throw new OutOfMemoryError("unable to create native thread, says the test");
    }
    return new Thread(work);
  }

  @Test
  void tasksTakenForACallerThatIsGoneAreReleased() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script =
        hold -> {
          answer.cancel(false);
          return found("t1");
        };
    line.news();
    assertThat(released.poll(30, SECONDS)).extracting(Task::taskId).containsExactly("t1");
    assertThat(line.size()).isZero();
  }

  @Test
  void tasksThatCannotBeReleasedCostNobodyElseHis() throws Exception {
    HoldQueue line =
        new HoldQueue(
            this::claim,
            hold -> QUIET_MS,
            tasks -> {
              throw new IllegalStateException("too many reports at the moment");
            },
            threads,
            System::nanoTime);
    CompletableFuture<List<Task>> gone = line.join(aHold("gone"));
    CompletableFuture<List<Task>> there = line.join(aHold("there"));
    Set<String> taken = ConcurrentHashMap.newKeySet();
    script =
        hold -> {
          gone.cancel(false);
          return taken.add(hold.holdId()) ? found("for " + hold.holdId()) : NOTHING;
        };
    line.news();
    assertThat(idsOf(there)).containsExactly("for there");
  }

  @Test
  void repeatTakesThePlaceOfTheParkedHold() throws Exception {
    CompletableFuture<List<Task>> first = park(aHold("a"));
    CompletableFuture<List<Task>> repeat = park(aHold("a"));
    assertThat(first.get(30, SECONDS)).isEmpty();
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
    assertThat(repeats.poll(30, SECONDS).get(30, SECONDS)).isEmpty();
    assertThat(idsOf(repeats.poll(30, SECONDS))).containsExactly("t1");
    assertThat(released).isEmpty();
  }

  @Test
  void tasksOfAHoldWhoseRepeatWasToldOfThemAreNotReleased() throws Exception {
    CompletableFuture<List<Task>> first = park(aHold("a"));
    script =
        hold -> {
          park(aHold("a")).complete(found("t1"));
          return found("t1");
        };
    line.news();
    assertThat(first.get(30, SECONDS)).isEmpty();
    assertServedOnceMore();
    assertThat(released).isEmpty();
  }

  @Test
  void tasksOfAHoldWhoseRepeatIsGoneAreReleased() throws Exception {
    park(aHold("a"));
    script =
        hold -> {
          park(aHold("a")).cancel(false);
          return found("t1");
        };
    line.news();
    assertThat(released.poll(30, SECONDS)).hasSize(1);
  }

  @Test
  void repeatOfAHoldThatWasGivenSomethingAsksAtOnce() throws Exception {
    CompletableFuture<List<Task>> first = park(aHold("a"));
    script = hold -> found("t1");
    line.news();
    assertThat(idsOf(first)).containsExactly("t1");
    claims.clear();
    assertThat(idsOf(line.join(aHold("a")))).containsExactly("t1");
    assertThat(claims).hasSize(1);
  }

  @Test
  void tasksThatTheParkedCallerWasToldByAnotherLookAreNotReleased() throws Exception {
    CompletableFuture<List<Task>> answer = park(aHold("a"));
    script =
        hold -> {
          answer.complete(found("t1"));
          return found("t1");
        };
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
    assertServedOnceMore();
    assertThat(released).isEmpty();
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
  void keptHoldIsLeftOutOfRoundsUntilItIsFreed() throws Exception {
    CompletableFuture<List<Task>> first = park(staged("a"));
    CompletableFuture<List<Task>> second = park(staged("b"));
    script = hold -> found("for " + hold.holdId());
    KeptHolds kept = line.keep(hold -> true, 1);
    assertThat(kept.holds()).extracting(Hold::holdId).containsExactly("a");

    line.news();
    assertThat(idsOf(second)).containsExactly("for b");
    assertThat(first).isNotDone();
    kept.free();
    assertThat(idsOf(first)).containsExactly("for a");
    assertThat(lastAsking.get(0).possibleRepeat()).as("the create may have committed").isTrue();
  }

  @Test
  void keptHoldIsAnsweredWithWhatWasCreatedForItAndTheOthersAreFreed() throws Exception {
    CompletableFuture<List<Task>> first = park(staged("a"));
    CompletableFuture<List<Task>> second = park(staged("b"));
    KeptHolds kept = line.keep(hold -> true, 9);
    assertThat(line.keep(hold -> true, 9).holds()).as("one create at a time").isEmpty();
    script = hold -> found("for " + hold.holdId());
    kept.answer(List.of(found("new"), NOTHING));
    assertThat(idsOf(first)).containsExactly("new");
    assertThat(idsOf(second)).containsExactly("for b");
    assertThat(released).isEmpty();
  }

  @Test
  void whatWasCreatedForAHoldGoesToItsRepeatAndIsReleasedIfTheCallerIsGone() throws Exception {
    CompletableFuture<List<Task>> first = park(staged("a"));
    CompletableFuture<List<Task>> gone = park(staged("b"));
    KeptHolds kept = line.keep(hold -> true, 9);
    CompletableFuture<List<Task>> repeat = line.join(staged("a"));
    gone.cancel(false);
    kept.answer(List.of(found("t1"), found("t2")));
    assertThat(first.get(10, SECONDS)).isEmpty();
    assertThat(idsOf(repeat)).containsExactly("t1");
    assertThat(released.poll(10, SECONDS)).extracting(Task::taskId).containsExactly("t2");
  }

  @Test
  void repeatOfAKeptHoldWhoseCallerIsGoneGetsItsTasksByARoundThatReadsThem() throws Exception {
    CompletableFuture<List<Task>> gone = park(staged("a"));
    KeptHolds kept = line.keep(hold -> true, 1);
    gone.cancel(false);
    CompletableFuture<List<Task>> repeat = park(staged("a"));
    script = hold -> found("by t_hold");
    kept.answer(List.of(found("t1")));
    assertThat(idsOf(repeat)).containsExactly("by t_hold");
    assertThat(lastAsking.get(0).possibleRepeat()).isTrue();
    assertThat(released).as("it has them").isEmpty();
  }

  @Test
  void keptHoldIsTimedOutWhenItIsFreed() throws Exception {
    CompletableFuture<List<Task>> answer = park(staged("a"));
    KeptHolds kept = line.keep(hold -> true, 1);
    moved.addAndGet(HOURS.toNanos(1));
    assertThat(answer).isNotDone();
    kept.free();
    assertThat(answer.get(10, SECONDS)).isEmpty();
    kept.free();
    assertThat(claims).as("no hold is left").isEmpty();
  }

  @Test
  void freeingNoHoldsMakesNoRound() throws Exception {
    park(staged("a"));
    KeptHolds none = line.keep(hold -> false, 1);
    none.free();
    none.answer(List.of());
    park(aHold("cannot be kept"));
    assertThat(line.keep(hold -> hold.holdId().equals("b"), 1).holds()).isEmpty();
    assertThat(claims).isEmpty();
  }

  @Test
  void noHoldOvertakesOneThatCannotBeKept() {
    park(new Hold(new TaskType("lark"), 1, "w", Duration.ofSeconds(60), null, Set.of("speak")));
    park(staged("a"));
    assertThat(line.keep(hold -> true, 9).holds()).isEmpty();
  }

  @Test
  void noHoldIsKeptWhileARoundMayGiveItTasks() throws Exception {
    BlockingQueue<List<Hold>> kept = new LinkedBlockingQueue<>();
    CompletableFuture<List<Task>> answer = park(staged("a"));
    script =
        hold -> {
          kept.add(line.keep(one -> true, 1).holds());
          return found("t1");
        };
    line.news();
    assertThat(idsOf(answer)).containsExactly("t1");
    assertThat(kept.poll(10, SECONDS)).isEmpty();
  }

  private static Hold staged(String id) {
    return new Hold(new TaskType("lark"), 1, "w", Duration.ofSeconds(60), id, Set.of("speak"));
  }

  private CompletableFuture<List<Task>> park(Hold hold) {
    return line.join(hold);
  }

  /** Waits until the thread that was serving has come to the next round, and so done with this. */
  private void assertServedOnceMore() throws Exception {
    claims.clear();
    script = hold -> NOTHING;
    park(aHold("probe"));
    line.news();
    assertThat(claims.poll(30, SECONDS)).extracting(Hold::holdId).contains("probe");
  }

  private static List<String> idsOf(CompletableFuture<List<Task>> answer)
      throws InterruptedException, TimeoutException, ExecutionException {
    return answer.get(30, SECONDS).stream().map(Task::taskId).toList();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Hold brief(String id, long waitMs) {
    return new Hold(new TaskType("lark"), 1, "w", Duration.ofMillis(waitMs), id, Set.of("first"));
  }

  private static Hold aHold(String id) {
    return aHold(id, "first");
  }

  private static Hold aHold(String id, String stage) {
    return new Hold(new TaskType("lark"), 1, "w", Duration.ofSeconds(10), id, Set.of(stage));
  }

  private static List<Task> found(String taskId) {
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
            null,
            null,
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
            null,
            null,
            null,
            null,
            null,
            null);
    return List.of(task);
  }
}
