package io.asyncflow.worker.internal.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.loop.ManualTicker;
import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.poll.StubFlowClient;
import io.asyncflow.worker.internal.run.HandlerThread;
import io.asyncflow.worker.internal.run.Lease;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.StopCause;
import io.asyncflow.worker.internal.run.TypeLimits;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real threads; what they do is held up until the test lets one more go on. */
class RunPoolTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration A_WHILE = Duration.ofMillis(1_001);
  private static final TypeLimits LIMITS =
      new TypeLimits(100, Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(30));

  private final ManualTicker ticker = new ManualTicker();
  private final SlotPool slots = new SlotPool(Map.of("cpu", 1), ticker, new WakeUp());
  private final BlockingQueue<Run> started = new LinkedBlockingQueue<>();
  private final Map<Run, Slot> slotOf = new ConcurrentHashMap<>();
  private final List<List<Run>> batches = new CopyOnWriteArrayList<>();
  private final Set<String> threads = ConcurrentHashMap.newKeySet();
  private final List<Thread> alive = new CopyOnWriteArrayList<>();
  private final Semaphore letGo = new Semaphore(0);
  private final Semaphore freed = new Semaphore(0);
  private final AtomicInteger numbers = new AtomicInteger();
  private Slot elsewhere;
  private volatile RuntimeException toThrow;
  private volatile boolean reporting;
  private volatile int threadsToBeHad = Integer.MAX_VALUE;
  private final RunPool pool =
      new RunPool(
          "lark",
          2,
          3,
          slots,
          this::block,
          Sealing.OFF,
          this::newThread,
          ticker,
          () -> reporting,
          freed::release);

  private void block(List<Run> runs, Slot slot) {
    Run run = runs.get(0);
    batches.add(runs);
    run.enter(HandlerThread.current());
    threads.add(Thread.currentThread().getName());
    if (slot != null) {
      slotOf.put(run, slot);
    }
    started.add(run);
    letGo.acquireUninterruptibly();
    run.leave();
    run.advance(RunState.WORKING, RunState.Event.RETURNED);
    if (toThrow != null) {
      throw toThrow;
    }
  }

  private Thread newThread(Runnable work) {
    return new Thread(work) {
      @Override
      public void start() {
        if (threadsToBeHad == 0) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        threadsToBeHad--;
        super.start();
        alive.add(this);
      }
    };
  }

  private Run run(boolean wantsSlot) {
    return run(new RegisteredStage("one", context -> null, StageNeeds.slots(wantsSlot ? 1 : 0)));
  }

  private Run run(RegisteredStage stage) {
    return new Run(
        StubFlowClient.task(numbers.incrementAndGet() + "_lark_task_1", "one", 30_000),
        stage,
        Lease.held(ticker.nanos(), 30_000L, LIMITS),
        TransitionTable.Listener.none());
  }

  private boolean offer(Run run) {
    return pool.offer(List.of(run)).isEmpty();
  }

  private Run next() throws InterruptedException {
    Run run = started.poll(5, TimeUnit.SECONDS);
    assertThat(run).isNotNull();
    return run;
  }

  /** Every thread has looked for work, and waits: for more of it, or within a run. */
  private void assertNothingElseStarts() {
    await()
        .atMost(PATIENCE)
        .until(() -> alive.stream().allMatch(thread -> thread.getState() == State.WAITING));
    assertThat(started).isEmpty();
  }

  private void finishOne() throws InterruptedException {
    letGo.release();
    assertThat(freed.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
  }

  /** From then on the pool knows that its runs are short, and takes some ahead. */
  private void letAShortRunEnd() throws InterruptedException {
    offer(run(false));
    next();
    finishOne();
    await().atMost(PATIENCE).until(() -> pool.working() == 0);
  }

  private void occupyBothThreads() throws InterruptedException {
    offer(run(false));
    offer(run(false));
    next();
    next();
  }

  @AfterEach
  void close() {
    letGo.release(1000);
    pool.close();
  }

  @Test
  void nothingIsFetchedAheadBeforeARunHasEnded() throws InterruptedException {
    assertThat(pool.room()).isEqualTo(2);
    letAShortRunEnd();
    assertThat(pool.room()).isEqualTo(5);
  }

  @Test
  void thereIsRoomForTheThreadsAndThePrefetch() throws InterruptedException {
    letAShortRunEnd();
    assertThat(pool.room()).isEqualTo(5);
    for (int i = 0; i < 5; i++) {
      assertThat(offer(run(false))).isTrue();
    }
    assertThat(offer(run(false))).isFalse();
    next();
    next();
    assertThat(pool.working()).isEqualTo(2);
    assertThat(pool.queued()).isEqualTo(3);
    letGo.release();
    next();
    assertThat(pool.room()).isEqualTo(1);
  }

  @Test
  void runsStartInTheOrderInWhichTheyCame() throws InterruptedException {
    letAShortRunEnd();
    List<Run> offered = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Run run = run(false);
      offered.add(run);
      offer(run);
      if (i < 2) {
        assertThat(next()).isSameAs(run);
      }
    }
    for (int i = 2; i < 5; i++) {
      letGo.release();
      assertThat(next()).isSameAs(offered.get(i));
    }
  }

  @Test
  void moreIsWantedWhenAThreadIsFreeOrHalfOfThePrefetchIsUsed() throws InterruptedException {
    letAShortRunEnd();
    for (int i = 0; i < 4; i++) {
      offer(run(false));
    }
    next();
    next();
    assertThat(pool.queued()).isEqualTo(2);
    assertThat(pool.wantsMore()).isFalse();
    letGo.release();
    next();
    assertThat(pool.wantsMore()).isTrue();
  }

  @Test
  void aThreadThatHasARunToTakeUpIsNoReasonToAskForMore() throws InterruptedException {
    letAShortRunEnd();
    for (int i = 0; i < 5; i++) {
      offer(run(false));
    }
    next();
    next();
    letGo.release();
    next();
    assertThat(pool.room()).isEqualTo(1);
    assertThat(freed.availablePermits()).isZero();
  }

  @Test
  void aThreadThatOnlyRunsWithSlotsWaitForIsAReasonToAskForMore() throws InterruptedException {
    letAShortRunEnd();
    Run waiting = waitsForASlot();

    assertThat(pool.wantsMore()).isTrue();
    assertThat(pool.queuedForPlaces()).isEqualTo(1);
    assertThat(waiting.state()).isEqualTo(RunState.QUEUED);
  }

  /** Another type has taken the slot since it was offered. */
  private Run waitsForASlot() throws InterruptedException {
    occupyBothThreads();
    Run run = run(true);
    assertThat(offer(run)).isTrue();
    elsewhere = slots.tryTake(1, "").orElseThrow();
    letGo.release();
    await().atMost(PATIENCE).until(() -> pool.freeThreads() == 1);
    return run;
  }

  @Test
  void aRunThatFindsItsSlotTakenWaitsForTheNextAndHoldsUpNobody() throws InterruptedException {
    letAShortRunEnd();
    ticker.advance(A_WHILE);
    elsewhere = slots.tryTake(1, "").orElseThrow();
    Run run = run(true);
    Run open = run(false);

    assertThat(pool.offer(List.of(run, open))).isEmpty();
    assertThat(next()).isSameAs(open);
    assertThat(pool.queuedForPlaces()).isEqualTo(1);
    assertThat(pool.stalled()).as("the slot has just moved").isEmpty();
    slots.free(elsewhere);
    assertThat(next()).isSameAs(run);
    assertThat(slotOf).containsOnlyKeys(run);
  }

  /** Smaller runs, also of other types, would take each place as soon as it is free. */
  @Test
  void aQueuedRunWithSeveralPlacesIsTheNextOnItsDevice() {
    SlotPool two = new SlotPool(Map.of("cuda:0", 2), ticker, new WakeUp());
    Slot small = two.tryTake(1, "").orElseThrow();
    Run large = run(new RegisteredStage("large", context -> null, StageNeeds.slots(2)));

    assertThat(two.tryTake(large)).isEmpty();
    assertThat(two.isNext(large)).isTrue();
    assertThat(two.tryTake(run(true))).as("one place is free, and kept").isEmpty();
    assertThat(two.fits(1)).as("and not asked for").isZero();
    two.free(small);
    assertThat(two.tryTake(run(true))).isEmpty();
    Slot both = two.tryTake(large).orElseThrow();
    two.free(both);
    two.passOn();
    assertThat(two.tryTake(run(true))).isPresent();

    assertThat(two.tryTake(large)).isEmpty();
    assertThat(two.isNext(large)).isTrue();
    large.advance(RunState.QUEUED, RunState.Event.RELEASED);
    assertThat(two.tryTake(run(true))).as("what left the queue keeps nothing").isPresent();
  }

  /** What waits in other pools hears of places only when some are freed. */
  @Test
  void theRunThatKeptPlacesPassesOnWhatItDoesNotTake() {
    SlotPool three = new SlotPool(Map.of("cuda:0", 3), ticker, new WakeUp());
    AtomicInteger told = new AtomicInteger();
    three.whenFreed(told::incrementAndGet);
    Slot small = three.tryTake(2, "").orElseThrow();
    Run large = run(new RegisteredStage("large", context -> null, StageNeeds.slots(2)));
    assertThat(three.tryTake(large)).isEmpty();
    three.passOn();
    assertThat(told).as("it still waits").hasValue(0);
    three.free(small);
    assertThat(three.tryTake(large)).isPresent();
    three.passOn();
    assertThat(told).as("one place is left").hasValue(2);

    Run lost = run(new RegisteredStage("large", context -> null, StageNeeds.slots(2)));
    assertThat(three.tryTake(lost)).isEmpty();
    lost.drop(StopCause.LOST, RunState.Event.LOST, ticker.nanos());
    three.passOn();
    three.passOn();
    assertThat(told).hasValue(3);
  }

  @Test
  void aRunOfAnotherTypeStartsBesideTheOneThatKeptPlaces() throws InterruptedException {
    SlotPool three = new SlotPool(Map.of("cuda:0", 3), ticker, new WakeUp());
    RunPool narrow = poolOn(three);
    RunPool wide = poolOn(three);
    Slot small = three.tryTake(2, "").orElseThrow();
    Run large = run(new RegisteredStage("large", context -> null, StageNeeds.slots(2)));
    assertThat(wide.offer(List.of(large))).isEmpty();
    await().atMost(PATIENCE).until(() -> three.isNext(large));
    Run one = run(true);
    assertThat(narrow.offer(List.of(one))).isEmpty();
    three.free(small);
    assertThat(List.of(next(), next())).containsExactlyInAnyOrder(large, one);
    letGo.release(2);
    narrow.close();
    wide.close();
  }

  private RunPool poolOn(SlotPool places) {
    return new RunPool(
        "shared",
        1,
        1,
        places,
        this::block,
        Sealing.OFF,
        Thread::new,
        ticker,
        () -> false,
        () -> {});
  }

  @Test
  void aRunWithSeveralPlacesStarvesOnlyOfSmallerOnesAndAfterAWhile() {
    SlotPool two = new SlotPool(Map.of("cuda:0", 2), ticker, new WakeUp());
    Slot small = two.tryTake(1, "").orElseThrow();
    assertThat(two.starves(2)).isFalse();
    ticker.advance(Duration.ofSeconds(10));
    assertThat(two.starves(2)).isTrue();
    assertThat(two.starves(1)).isFalse();
    two.free(small);
    assertThat(two.starves(2)).as("it fits").isFalse();
    two.tryTake(2, "").orElseThrow();
    ticker.advance(Duration.ofSeconds(10));
    assertThat(two.starves(2)).as("one with as many runs").isFalse();
  }

  @Test
  void ofTwoThatComeTogetherTheSecondGetsTheSlotOfTheFirst() throws InterruptedException {
    Run first = run(true);
    Run second = run(true);
    assertThat(pool.offer(List.of(first, second))).isEmpty();
    assertThat(next()).isSameAs(first);
    letGo.release();
    assertThat(next()).isSameAs(second);
    assertThat(slotOf.get(second)).isEqualTo(slotOf.get(first));
  }

  @Test
  void aSlotFreedElsewhereStartsARunHere() throws InterruptedException {
    letAShortRunEnd();
    Run run = waitsForASlot();
    assertNothingElseStarts();
    slots.free(elsewhere);
    assertThat(next()).isSameAs(run);
  }

  @Test
  void whatWaitsForASlotWhileNoneMovesIsStalled() throws InterruptedException {
    letAShortRunEnd();
    Run run = waitsForASlot();
    assertThat(pool.stalled()).isEmpty();
    ticker.advance(A_WHILE);
    assertThat(pool.stalled()).containsExactly(run);
  }

  @Test
  void whatWaitsForAThreadWhileNoRunEndsIsStalledAndNothingTakesItsPlace()
      throws InterruptedException {
    letAShortRunEnd();
    occupyBothThreads();
    Run waiting = run(false);
    offer(waiting);
    assertThat(pool.stalled()).isEmpty();
    assertThat(pool.room()).isEqualTo(2);

    ticker.advance(A_WHILE);
    assertThat(pool.stalled()).containsExactly(waiting);
    assertThat(pool.room()).isZero();

    letGo.release();
    assertThat(next()).isSameAs(waiting);
    assertThat(pool.room()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whatWaitsWhereNoThreadCanBeHadIsStalled(int threads) throws InterruptedException {
    threadsToBeHad = threads;
    try (LoggedLines log = new LoggedLines(RunPool.class)) {
      for (int i = 0; i < threads; i++) {
        offer(run(false));
        next();
      }
      Run waiting = run(false);
      assertThat(offer(waiting)).isTrue();
      assertThat(pool.stalled()).isEmpty();
      ticker.advance(A_WHILE);
      assertThat(pool.stalled()).containsExactly(waiting);
      assertThat(log.lines())
          .containsExactly("no more than " + threads + " threads can be had for type lark");
    }
  }

  @Test
  void possiblePoisonNeedsRoomAsAnyOtherRun() throws InterruptedException {
    occupyBothThreads();
    assertThat(pool.room()).isZero();
    assertThat(offer(possiblePoison())).isFalse();
  }

  @Test
  void possiblePoisonThatFindsItsSlotTakenIsStalledAsAnyOtherRun() throws InterruptedException {
    elsewhere = slots.tryTake(1, "").orElseThrow();
    Run possiblePoison =
        possiblePoison(new RegisteredStage("one", context -> null, StageNeeds.slots(1)));
    assertThat(offer(possiblePoison)).isTrue();
    assertThat(pool.stalled()).isEmpty();
    ticker.advance(A_WHILE);
    assertThat(pool.stalled()).containsExactly(possiblePoison);
    slots.free(elsewhere);
    assertThat(next()).isSameAs(possiblePoison);
  }

  @Test
  void placesThatAreFreedTogetherStartAsManyRuns() throws InterruptedException {
    SlotPool wide = new SlotPool(Map.of("cpu", 2), ticker, new WakeUp());
    RunPool narrow =
        new RunPool(
            "narrow",
            2,
            2,
            wide,
            this::block,
            Sealing.OFF,
            Thread::new,
            ticker,
            () -> false,
            freed::release);
    assertThat(narrow.offer(List.of(run(false)))).isEmpty();
    next();
    finishOne();
    assertThat(narrow.offer(List.of(run(false), run(false)))).isEmpty();
    next();
    next();
    Run one = run(true);
    Run other = run(true);
    assertThat(narrow.offer(List.of(one, other))).isEmpty();
    Slot both = wide.tryTake(2, "").orElseThrow();
    letGo.release(2);
    await().atMost(PATIENCE).until(() -> waitingThreads("asyncflow-narrow-") == 2);
    wide.free(both);
    assertThat(List.of(next(), next())).containsExactlyInAnyOrder(one, other);
    narrow.close();
  }

  private static long waitingThreads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .filter(thread -> thread.getState() == Thread.State.WAITING)
        .count();
  }

  @Test
  void aThrowingRunKeepsNeitherThreadNorSlot() throws InterruptedException {
    toThrow = new IllegalStateException("a bug");
    try (LoggedLines silenced = new LoggedLines(RunPool.class)) {
      for (int i = 0; i < 6; i++) {
        Run run = run(true);
        assertThat(offer(run)).isTrue();
        assertThat(next()).isSameAs(run);
        finishOne();
        assertThat(slots.freePlaces()).isEqualTo(1);
      }
    }
    assertThat(threads).hasSizeLessThanOrEqualTo(2);
    assertThat(pool.working()).isZero();
  }

  @Test
  void threadsAreMadeWhenTheyAreNeeded() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      offer(run(false));
      next();
      finishOne();
      await().atMost(Duration.ofSeconds(5)).until(() -> pool.working() == 0);
    }
    assertThat(threads).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void aRunThatEndedWhileItWaitedTakesNoRoom() throws InterruptedException {
    letAShortRunEnd();
    occupyBothThreads();
    Run waiting = run(false);
    offer(waiting);
    assertThat(pool.queued()).isEqualTo(1);
    waiting.drop(StopCause.CANCELLED, RunState.Event.CANCELLED, ticker.nanos());
    assertThat(pool.queued()).isZero();
    finishOne();
    assertNothingElseStarts();
  }

  @Test
  void aHandlerThatGoesOnIsCountedAndItsThreadIsNotFree() throws InterruptedException {
    letAShortRunEnd();
    offer(run(false));
    offer(run(false));
    Run one = next();
    Run other = next();
    one.drop(StopCause.LOST, RunState.Event.LOST, ticker.nanos());
    assertThat(pool.overdue()).isEqualTo(1);
    assertThat(pool.working()).isEqualTo(1);
    assertThat(pool.room()).isEqualTo(3);
    other.drop(StopCause.LOST, RunState.Event.LOST, ticker.nanos());
    ticker.advance(A_WHILE);
    assertThat(pool.room()).as("nothing queued would start").isZero();
    finishOne();
    assertThat(pool.overdue()).isEqualTo(1);
    assertThat(pool.room()).isEqualTo(4);
  }

  @Test
  void aHandlerThatHeedsNoInterruptForTenSecondsIsStuckUntilItEnds() throws InterruptedException {
    offer(run(false));
    Run run = next();
    assertThat(pool.freeThreads()).isEqualTo(1);
    run.drop(StopCause.CANCELLED, RunState.Event.CANCELLED, ticker.nanos());
    ticker.advance(Duration.ofSeconds(9));
    assertThat(pool.stuck()).isEmpty();
    ticker.advance(Duration.ofSeconds(1));
    assertThat(pool.stuck()).containsExactly(run);
    assertThat(pool.freeThreads()).isEqualTo(1);
    finishOne();
    assertThat(pool.stuck()).isEmpty();
    assertThat(pool.freeThreads()).isEqualTo(2);
  }

  @Test
  void thereIsNoRoomBesidePossiblePoisonUntilItsHandlerEndsOrNobodyWaitsForIt()
      throws InterruptedException {
    offer(possiblePoison());
    assertThat(pool.room()).isZero();
    next();
    assertThat(pool.room()).isZero();
    finishOne();
    assertThat(pool.room()).isEqualTo(5);

    offer(possiblePoison());
    Run stuck = next();
    stuck.drop(StopCause.LOST, RunState.Event.LOST, ticker.nanos());
    assertThat(pool.room()).isPositive();
  }

  @Test
  void possiblePoisonStartsWhenAllThatHasEndedIsReported() throws InterruptedException {
    reporting = true;
    Run possiblePoison = possiblePoison();
    Run before = run(false);
    offer(before);
    offer(possiblePoison);
    assertThat(next()).isSameAs(before);
    assertNothingElseStarts();
    reporting = false;
    pool.wakeOne();
    assertThat(next()).isSameAs(possiblePoison);
  }

  @Test
  void possiblePoisonIsInNoBatch() throws InterruptedException {
    letAShortRunEnd();
    BatchStageHandler handler = batch -> {};
    RegisteredStage batched = new RegisteredStage("one", handler, StageNeeds.nothing());
    occupyBothThreads();
    Run one = run(batched);
    Run another = run(batched);
    Run possiblePoison = possiblePoison(batched);
    assertThat(pool.offer(List.of(one, another, possiblePoison))).isEmpty();
    letGo.release();
    next();
    letGo.release();
    next();
    assertThat(batches.subList(3, 5))
        .containsExactly(List.of(one, another), List.of(possiblePoison));
  }

  /** A stage of batches of which the code that sorts tasks into batches may throw. */
  private RegisteredStage batched(Supplier<Object> key, LongSupplier maxSize) {
    BatchStageHandler handler =
        new BatchStageHandler() {
          @Override
          public void handle(List<BatchRun> batch) {}

          @Override
          public Object key(StageContext context) {
            return key.get();
          }

          @Override
          public long maxSize() {
            return maxSize.getAsLong();
          }
        };
    return new RegisteredStage("one", handler, StageNeeds.slots(1));
  }

  private void assertRunAlone(RegisteredStage stage) throws InterruptedException {
    letAShortRunEnd();
    Run one = run(stage);
    Run other = run(stage);
    assertThat(pool.offer(List.of(one, other))).isEmpty();
    assertThat(next()).isSameAs(one);
    finishOne();
    assertThat(next()).isSameAs(other);
    finishOne();
    assertThat(batches.subList(1, 3)).containsExactly(List.of(one), List.of(other));
    assertThat(slots.freePlaces()).isEqualTo(1);
  }

  @Test
  void runsOfWhichNoKeyCanBeToldAreAlone() throws InterruptedException {
    assertRunAlone(
        batched(
            () -> {
              throw new NoClassDefFoundError("of the model");
            },
            () -> 100));
  }

  @Test
  void runsOfWhichNoLargestSizeCanBeToldAreAlone() throws InterruptedException {
    assertRunAlone(
        batched(
            () -> "",
            () -> {
              throw new IllegalStateException("no device");
            }));
  }

  /** Equal to nothing, not even to one of its kind. */
  private static final class IncomparableKey {
    @Override
    public boolean equals(Object other) {
      throw new IllegalStateException("no two are compared");
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }

  @Test
  void runsWhoseKeysCannotBeComparedAreAlone() throws InterruptedException {
    assertRunAlone(batched(IncomparableKey::new, () -> 100));
  }

  private Run possiblePoison() {
    return possiblePoison(new RegisteredStage("one", context -> null, StageNeeds.nothing()));
  }

  private Run possiblePoison(RegisteredStage stage) {
    return new Run(
        StubFlowClient.lostTask(numbers.incrementAndGet() + "_lark_task_1", "one", 2),
        stage,
        Lease.held(ticker.nanos(), 30_000L, LIMITS),
        TransitionTable.Listener.none());
  }

  @Test
  void longRunsAreNotFetchedAhead() throws InterruptedException {
    offer(run(false));
    next();
    ticker.advance(Duration.ofSeconds(5));
    finishOne();
    assertThat(pool.room()).isEqualTo(2);
  }

  @Test
  void aClosedPoolHandsOutWhatWaitsAndFinishesWhatRuns() throws InterruptedException {
    letAShortRunEnd();
    occupyBothThreads();
    Run waiting = run(false);
    offer(waiting);
    assertThat(pool.close()).containsExactly(waiting);
    assertThat(offer(run(false))).isFalse();
    assertThat(pool.room()).isZero();
    assertThat(pool.working()).isEqualTo(2);
    letGo.release();
    await().atMost(PATIENCE).until(() -> pool.working() == 1);
  }
}
