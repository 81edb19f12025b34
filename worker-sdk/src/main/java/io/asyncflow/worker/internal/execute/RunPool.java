package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one type and the runs that wait for them. A run that wants a slot waits until one
 * is free, and holds up nobody who wants none.
 *
 * <p>{@linkplain Run#isPossiblePoison Possible poison} starts when everything that has ended here
 * is known to the server, and there is room for nothing beside it: if it ends this process, it
 * takes with it only what began before it.
 */
public final class RunPool {

  /** What a thread does with a run, or with those of a batch. */
  @FunctionalInterface
  interface Runner {

    /**
     * @param runs several only if their stage is one of batches
     * @param slot {@code null} if the runs want none
     */
    void run(List<Run> runs, Slot slot);
  }

  /** Compared as the one it is: batches are small, and no run is in two. */
  private record Assignment(List<Run> runs, Slot slot) {}

  /**
   * Runs that last longer than this on average are not fetched ahead, and what waits while nothing
   * moves for so long is left to others.
   */
  private static final long LONG_RUN = TimeUnit.SECONDS.toNanos(1);

  private static final double UNKNOWN = -1;

  /** What the last run counts in the average. */
  private static final double WEIGHT = 0.2;

  private static final Logger log = LoggerFactory.getLogger(RunPool.class);

  private final String taskType;
  private final int size;
  private final int prefetch;
  private final SlotPool slots;
  private final Runner runner;
  private final ThreadFactory newThreads;
  private final Ticker ticker;
  private final BooleanSupplier reporting;
  private final Runnable freed;

  private final RunQueue queue = new RunQueue();
  private final Set<Assignment> running = new HashSet<>();
  private int threads;
  private double averageNanos = UNKNOWN;
  private long lastMove;
  private boolean closed;

  /**
   * @param size threads at most; each is made when it is first needed
   * @param prefetch runs that may wait beyond the free threads, unless they are long ones
   * @param reporting whether a report of a run of this pool is on its way
   * @param freed called after a run, when its thread and slot are free again and the pool {@link
   *     #wantsMore}
   */
  public RunPool(
      String taskType,
      int size,
      int prefetch,
      SlotPool slots,
      Runner runner,
      ThreadFactory newThreads,
      Ticker ticker,
      BooleanSupplier reporting,
      Runnable freed) {
    this.taskType = taskType;
    this.size = size;
    this.prefetch = prefetch;
    this.slots = slots;
    this.runner = runner;
    this.newThreads = newThreads;
    this.ticker = ticker;
    this.reporting = reporting;
    this.freed = freed;
    this.lastMove = ticker.nanos();
    slots.whenFreed(this::wakeOne);
  }

  /** How many more runs it takes; a batch is one. */
  public synchronized int room() {
    return closed || hasPossiblePoison() ? 0 : Math.max(0, places() - queue.starts());
  }

  /** How many runs may wait, for a thread that is free too. */
  private int places() {
    return size - running.size() + ahead();
  }

  /**
   * Whether possible poison waits or runs; one that nobody waits for any more has done its worst.
   */
  private boolean hasPossiblePoison() {
    queue.forgetEnded();
    return queue.hasPossiblePoison() || running.stream().anyMatch(RunPool::hasPossiblePoison);
  }

  private static boolean hasPossiblePoison(Assignment running) {
    for (Run run : running.runs()) {
      if (run.isPossiblePoison() && !run.overdue()) {
        return true;
      }
    }
    return false;
  }

  /**
   * How many runs may wait. Fetching ahead hides the way to the server, which is worth nothing to
   * long runs: another worker may have a thread for them now. How long they are is known when one
   * has ended.
   */
  private int ahead() {
    boolean mayBeLong = averageNanos == UNKNOWN || averageNanos > LONG_RUN;
    return mayBeLong || threadsAreStalled() ? 0 : prefetch;
  }

  /**
   * Whether every thread is at a run, and none has begun or ended one for long. Where runs wait,
   * there are as many threads as can be had.
   */
  private boolean threadsAreStalled() {
    return running.size() == threads && ticker.nanos() - lastMove > LONG_RUN;
  }

  /**
   * The runs that wait although nothing has moved for long, on the threads here or on slots such as
   * they want: another worker may start them now. Possible poison is none of them, since it would
   * be given back as if it had done no harm.
   */
  public synchronized List<Run> stalled() {
    queue.forgetEnded();
    if (queue.isEmpty()) {
      return List.of();
    }
    boolean noThread = threadsAreStalled();
    List<Run> stalled = new ArrayList<>();
    queue.iterator().forEachRemaining(stalled::add);
    stalled.removeIf(run -> run.isPossiblePoison() || !noThread && !waitsForStalledSlot(run));
    return stalled;
  }

  private boolean waitsForStalledSlot(Run run) {
    return run.places() > 0 && slots.stalled(run.places(), LONG_RUN);
  }

  /**
   * Whether asking for more pays: a thread finds nothing to run, or half of the prefetch is used
   * up. Topping up after each run would make every hold a hold of one.
   */
  public synchronized boolean wantsMore() {
    int free = freeThreads(); // each takes up a run that waits in a moment
    boolean idles = queue.startsWithoutSlot() < free;
    return room() > 0 && (idles || queue.starts() - free <= ahead() / 2);
  }

  /**
   * Queues them at once; returns those for which there is no room. One that finds its slot taken
   * waits for the next. Possible poison needs no room, as it is never {@link #stalled}.
   */
  public List<Run> offer(List<Run> runs) {
    for (Run run : runs) {
      if (run.stage().batches() != null) {
        tellBatch(run, run.stage().batches().handler());
      }
    }
    synchronized (this) {
      return runs.stream().filter(run -> !enqueue(run)).toList();
    }
  }

  /** Calls code of the user's, so nobody may wait for it. */
  private void tellBatch(Run run, BatchStageHandler handler) {
    StageContext context = new RunContext(run, null, ticker);
    try {
      Object key = Objects.requireNonNull(handler.key(context));
      run.batch(key, handler.size(context), handler.maxSize());
    } catch (Throwable thrown) { // errors too: the task is held, and must be queued or given back
      log.debug("{} is run alone: its key or size cannot be told", run, thrown);
    }
  }

  private boolean enqueue(Run run) {
    boolean hasRoom = run.isPossiblePoison() || queue.startsWith(run) <= places();
    if (closed || hasPossiblePoison() || !hasRoom) {
      return false;
    }
    queue.add(run);
    if (threads < size && threads - running.size() < queue.size()) {
      startThread();
    }
    wakeOne();
    return true;
  }

  /** Takes no more and hands out what waits; what runs goes on. */
  public synchronized List<Run> close() {
    closed = true;
    List<Run> waiting = queue.drain();
    notifyAll();
    return waiting;
  }

  public synchronized int queued() {
    queue.forgetEnded();
    return queue.size();
  }

  /** The places on devices that queued runs wait for. */
  public synchronized int queuedForPlaces() {
    queue.forgetEnded();
    return queue.places();
  }

  /** What the queued runs will load, or find, on the slots that they wait for. */
  public synchronized List<String> queuedModels() {
    queue.forgetEnded();
    return queue.models();
  }

  public synchronized int working() {
    return (int) running().stream().filter(run -> !run.overdue()).count();
  }

  /** Runs that are over although their handlers go on. */
  public synchronized int overdue() {
    return (int) running().stream().filter(Run::overdue).count();
  }

  /** Those of the overdue ones that were interrupted long ago. */
  public synchronized List<Run> stuck() {
    long now = ticker.nanos();
    return running().stream().filter(run -> run.stuck(now)).toList();
  }

  /** Runs that could start at once, slots aside. */
  public synchronized int freeThreads() {
    return size - running.size();
  }

  public synchronized List<Run> running() {
    return running.stream().flatMap(assignment -> assignment.runs().stream()).toList();
  }

  /** One thread for one run that can start now; who wakes in vain waits again. */
  public synchronized void wakeOne() {
    notify();
  }

  private void startThread() {
    Thread thread = newThreads.newThread(this::work);
    thread.setName("asyncflow-" + taskType + "-" + (threads + 1));
    // A handler that never ends must not keep the JVM from ending.
    thread.setDaemon(true);
    try {
      thread.start();
      threads++;
    } catch (OutOfMemoryError e) {
      log.error("no more than {} threads can be had for type {}", threads, taskType, e);
    }
  }

  private void work() {
    while (true) {
      try {
        Assignment next = take();
        if (next == null) {
          return;
        }
        perform(next);
      } catch (InterruptedException e) {
        log.debug("interrupted while waiting for work; goes on waiting");
      } catch (Throwable t) {
        log.error("a thread of type {} met what it should not; it goes on", taskType, t);
      }
    }
  }

  private void perform(Assignment next) {
    long start = ticker.nanos();
    try {
      runner.run(next.runs(), next.slot());
    } finally {
      long took = ticker.nanos() - start;
      synchronized (this) {
        running.remove(next);
        averageNanos =
            averageNanos == UNKNOWN ? took : averageNanos + WEIGHT * (took - averageNanos);
        lastMove = ticker.nanos();
      }
      if (next.slot() != null) {
        slots.giveBack(next.slot());
      }
      if (wantsMore()) {
        freed.run();
      }
    }
  }

  private synchronized Assignment take() throws InterruptedException {
    while (true) {
      Optional<Assignment> next = firstThatCanStart();
      if (next.isPresent()) {
        running.add(next.get());
        lastMove = ticker.nanos();
        if (!queue.isEmpty()) {
          // What was freed may be enough for several, and only one thread is woken by it.
          wakeOne();
        }
        return next.get();
      }
      if (closed) {
        return null;
      }
      wait();
    }
  }

  private Optional<Assignment> firstThatCanStart() {
    queue.forgetEnded();
    boolean slotsTaken = false;
    for (Iterator<Run> waiting = queue.iterator(); waiting.hasNext(); ) {
      Run run = waiting.next();
      if (run.isPossiblePoison() && reporting.getAsBoolean()) {
        continue;
      }
      if (run.places() == 0) {
        waiting.remove();
        return Optional.of(new Assignment(withItsBatch(run), null));
      }
      Optional<Slot> slot =
          slotsTaken ? Optional.empty() : slots.tryTake(run.places(), run.stage().model());
      if (slot.isPresent()) {
        waiting.remove();
        return Optional.of(new Assignment(withItsBatch(run), slot.get()));
      }
      // Nobody who takes fewer places goes first, or one who takes many would wait for ever.
      slotsTaken = true;
    }
    return Optional.empty();
  }

  /** The run, which the queue has no more, and the next ones in it that can go with it. */
  private List<Run> withItsBatch(Run first) {
    RegisteredStage stage = first.stage();
    if (stage.batches() == null || first.isPossiblePoison()) {
      return List.of(first);
    }
    List<Run> batch = new ArrayList<>(List.of(first));
    int most = stage.tasksOfRun();
    long sizeLeft = first.batchSizeLeft();
    for (Iterator<Run> waiting = queue.iterator(); waiting.hasNext() && batch.size() < most; ) {
      Run run = waiting.next();
      if (run.stage() == stage
          && !run.isPossiblePoison()
          && run.batchSize() <= sizeLeft
          && haveSameKey(run, first)) {
        waiting.remove();
        batch.add(run);
        sizeLeft -= run.batchSize();
      }
    }
    return batch;
  }

  /** Calls code of the user's; if it threw on, these runs and their slot would be lost. */
  private static boolean haveSameKey(Run one, Run other) {
    try {
      return one.batchKey().equals(other.batchKey());
    } catch (Throwable thrown) {
      log.debug("{} and {} go apart: their keys cannot be compared", one, other, thrown);
      return false;
    }
  }
}
