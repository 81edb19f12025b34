package io.asyncflow.worker.internal.execute;

import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.internal.loop.OneLineThrowable;
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
 * The threads of one type and its queued runs. A run that needs a slot waits until one is free, and
 * does not block runs that need none.
 *
 * <p>{@linkplain Run#isPossiblePoison Possible poison} starts when all reports of this pool are
 * delivered, and no run is accepted beside it. If it kills this process, only runs that began
 * before it are lost.
 */
public final class RunPool {

  /** Executes a run, or the runs of a batch. */
  @FunctionalInterface
  interface Runner {

    /**
     * @param runs several only if their stage has batches
     * @param slot {@code null} if the runs need none
     */
    void run(List<Run> runs, Slot slot);
  }

  /**
   * The runs of one start and their slot. Its equality identifies it, because no run is in two
   * assignments.
   */
  private record Assignment(List<Run> runs, Slot slot) {}

  /**
   * Runs that last longer on average are not prefetched, and queued runs are released after such a
   * time without progress. In nanoseconds.
   */
  private static final long LONG_RUN = TimeUnit.SECONDS.toNanos(1);

  private static final double UNKNOWN = -1;

  /** The weight of the last run in the average duration. */
  private static final double WEIGHT = 0.2;

  private static final Logger log = LoggerFactory.getLogger(RunPool.class);

  private final String taskType;
  private final int size;
  private final int prefetch;
  private final SlotPool slots;
  private final Runner runner;
  private final Sealing sealing;
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
   * @param size the maximum number of threads, which are started on demand
   * @param prefetch the number of runs that may wait beyond the free threads, unless runs are long
   * @param sealing opens the contexts from which batches are formed
   * @param reporting whether a report of a run of this pool is undelivered
   * @param freed called after a run, when its thread and slot are free again and the pool {@link
   *     #wantsMore}
   */
  public RunPool(
      String taskType,
      int size,
      int prefetch,
      SlotPool slots,
      Runner runner,
      Sealing sealing,
      ThreadFactory newThreads,
      Ticker ticker,
      BooleanSupplier reporting,
      Runnable freed) {
    this.taskType = taskType;
    this.size = size;
    this.prefetch = prefetch;
    this.slots = slots;
    this.runner = runner;
    this.sealing = sealing;
    this.newThreads = newThreads;
    this.ticker = ticker;
    this.reporting = reporting;
    this.freed = freed;
    this.lastMove = ticker.nanos();
    slots.whenFreed(this::wakeOne);
  }

  /** How many more runs the pool accepts; a batch counts as one. */
  public synchronized int room() {
    return closed || hasPossiblePoison() ? 0 : Math.max(0, places() - queue.starts());
  }

  /** How many runs may wait, including those for free threads. */
  private int places() {
    return size - running.size() + prefetchLimit();
  }

  /** Whether possible poison is queued or running; abandoned runs do not count. */
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
   * How many runs may be prefetched. Prefetching hides the latency of the server, which does not
   * matter for long runs, and another worker may have a free thread for them. The duration is known
   * after the first run.
   */
  private int prefetchLimit() {
    boolean mayBeLong = averageNanos == UNKNOWN || averageNanos > LONG_RUN;
    return mayBeLong || threadsAreStalled() ? 0 : prefetch;
  }

  /**
   * Whether every thread is busy and none has started or ended a run for long. While runs are
   * queued, the pool has all its threads.
   */
  private boolean threadsAreStalled() {
    return running.size() == threads && ticker.nanos() - lastMove > LONG_RUN;
  }

  /**
   * The queued runs whose threads or slots have made no progress for long: another worker may start
   * them now.
   */
  public synchronized List<Run> stalled() {
    queue.forgetEnded();
    if (queue.isEmpty()) {
      return List.of();
    }
    boolean noThread = threadsAreStalled();
    List<Run> stalled = new ArrayList<>();
    queue.iterator().forEachRemaining(stalled::add);
    stalled.removeIf(run -> !noThread && !waitsForStalledSlot(run));
    return stalled;
  }

  private boolean waitsForStalledSlot(Run run) {
    return run.places() > 0 && !slots.isNext(run) && slots.stalled(run.places(), LONG_RUN);
  }

  /**
   * Whether a hold is worthwhile: a thread is idle, or half of the prefetch is used up. A hold
   * after each run would return one task each time.
   */
  public synchronized boolean wantsMore() {
    int free = freeThreads(); // each takes a queued run in a moment
    boolean idles = queue.startsWithoutSlot() < free;
    return room() > 0 && (idles || queue.starts() - free <= prefetchLimit() / 2);
  }

  /**
   * Queues runs atomically; returns those for which there is no room. A run whose slot is taken
   * waits for the next one.
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

  /** Sets the batch of a run. Calls user code, so it must not run under a lock. */
  private void tellBatch(Run run, BatchStageHandler handler) {
    StageContext context = new RunContext(run, null, ticker, sealing);
    try {
      Object key = Objects.requireNonNull(handler.key(context));
      run.batch(key, handler.size(context), handler.maxSize());
    } catch (Throwable thrown) { // errors too: the task is held, and must be queued or released
      log.debug(
          "{} is run alone: its batch key or size is unknown", run, OneLineThrowable.of(thrown));
    }
  }

  private boolean enqueue(Run run) {
    if (closed || hasPossiblePoison() || queue.startsWith(run) > places()) {
      return false;
    }
    queue.add(run);
    if (threads < size && threads - running.size() < queue.size()) {
      startThread();
    }
    wakeOne();
    return true;
  }

  /** Accepts no more runs and returns the queued ones; running ones continue. */
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

  /** The number of places on devices for which queued runs wait. */
  public synchronized int queuedForPlaces() {
    queue.forgetEnded();
    return queue.places();
  }

  /** The models that the queued runs will load or find loaded on their slots. */
  public synchronized List<String> queuedModels() {
    queue.forgetEnded();
    return queue.models();
  }

  /** The ids of the first queued tasks. */
  public synchronized List<String> queuedTasks(int most) {
    queue.forgetEnded();
    List<String> ids = new ArrayList<>();
    for (Iterator<Run> waiting = queue.iterator(); waiting.hasNext() && ids.size() < most; ) {
      ids.add(waiting.next().task().taskId());
    }
    return ids;
  }

  public synchronized int working() {
    return (int) running().stream().filter(run -> !run.overdue()).count();
  }

  /** The number of ended runs whose handlers continue. */
  public synchronized int overdue() {
    return (int) running().stream().filter(Run::overdue).count();
  }

  /** The overdue runs that were interrupted long ago. */
  public synchronized List<Run> stuck() {
    long now = ticker.nanos();
    return running().stream().filter(run -> run.stuck(now)).toList();
  }

  /** The number of runs that could start at once, regardless of slots. */
  public synchronized int freeThreads() {
    return size - running.size();
  }

  public synchronized List<Run> running() {
    return running.stream().flatMap(assignment -> assignment.runs().stream()).toList();
  }

  /**
   * Wakes or starts one thread for one run that can start now; a thread without a run waits again.
   */
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
        log.debug("interrupted while waiting for work; continues to wait");
      } catch (Throwable t) {
        log.error(
            "unexpected failure in a thread of type {}, which continues",
            taskType,
            OneLineThrowable.of(t));
      }
    }
  }

  private void perform(Assignment next) {
    long start = ticker.nanos();
    try {
      if (next.slot() != null) {
        slots.passOn();
      }
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
        slots.free(next.slot());
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
          // The freed places may suffice for several runs, but only one thread was woken.
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
      Optional<Slot> slot = slotsTaken ? Optional.empty() : slots.tryTake(run);
      if (slot.isPresent()) {
        waiting.remove();
        return Optional.of(new Assignment(withItsBatch(run), slot.get()));
      }
      // Runs with fewer places may not overtake, or a run with many places would wait for ever.
      slotsTaken = true;
    }
    return Optional.empty();
  }

  /** The run, already removed from the queue, and the next queued runs that fit into its batch. */
  private List<Run> withItsBatch(Run first) {
    RegisteredStage stage = first.stage();
    if (stage.batches() == null || first.isPossiblePoison()) {
      return List.of(first);
    }
    List<Run> batch = new ArrayList<>(List.of(first));
    int maxTasks = stage.tasksOfRun();
    long sizeLeft = first.batchSizeLeft();
    for (Iterator<Run> waiting = queue.iterator(); waiting.hasNext() && batch.size() < maxTasks; ) {
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

  /**
   * Compares keys with user code; an exception must not escape, or these runs and their slot would
   * be lost.
   */
  private static boolean haveSameKey(Run one, Run other) {
    try {
      return one.batchKey().equals(other.batchKey());
    } catch (Throwable thrown) {
      log.debug(
          "{} and {} run separately: their keys cannot be compared",
          one,
          other,
          OneLineThrowable.of(thrown));
      return false;
    }
  }
}
