package io.asyncflow.worker.internal;

import io.asyncflow.worker.Slot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one type and the runs that wait for them. A run that wants a slot waits until one
 * is free, and holds up nobody who wants none.
 *
 * <p>A {@linkplain Run#isSuspect suspect} starts when everything that has ended here is known to
 * the server, and beside it there is room for nothing: if it ends this process, it takes with it
 * what ran before it and no more.
 */
final class RunPool {

  /** What a thread does with a run. */
  @FunctionalInterface
  interface Runner {

    /**
     * @param slot {@code null} if the run wants none
     */
    void run(Run run, Slot slot);
  }

  private record Assignment(Run run, Slot slot) {}

  /** Runs that last longer than this on average are not fetched ahead. */
  private static final Duration LONG_RUN = Duration.ofSeconds(1);

  /** What the last run counts in the average. */
  private static final double WEIGHT = 0.2;

  private static final Logger log = LoggerFactory.getLogger(RunPool.class);

  private final String taskType;
  private final int size;
  private final int prefetch;
  private final SlotPool slots;
  private final Runner runner;
  private final Ticker ticker;
  private final BooleanSupplier reporting;
  private final Runnable freed;

  private final Deque<Run> queue = new ArrayDeque<>();
  private final Set<Run> running = new HashSet<>();
  private int threads;
  private double averageNanos;
  private boolean closed;

  /**
   * @param size threads at most; each is made when it is first needed
   * @param prefetch runs that may wait beyond the free threads, unless they are long ones
   * @param reporting whether a report of a run of this pool is on its way
   * @param freed called after each run, when its thread and slot are free again
   */
  RunPool(
      String taskType,
      int size,
      int prefetch,
      SlotPool slots,
      Runner runner,
      Ticker ticker,
      BooleanSupplier reporting,
      Runnable freed) {
    this.taskType = taskType;
    this.size = size;
    this.prefetch = prefetch;
    this.slots = slots;
    this.runner = runner;
    this.ticker = ticker;
    this.reporting = reporting;
    this.freed = freed;
    slots.whenFreed(this::wakeOne);
  }

  /** How many more runs it takes. */
  synchronized int room() {
    if (closed || hasSuspect()) {
      return 0;
    }
    return Math.max(0, size - running.size() + ahead() - queued());
  }

  /** Whether a suspect waits or runs; one that nobody waits for any more has done its worst. */
  private boolean hasSuspect() {
    forgetEnded();
    return queue.stream().anyMatch(Run::isSuspect)
        || running.stream().anyMatch(run -> run.isSuspect() && !run.overdue());
  }

  /**
   * How many runs may wait. Fetching ahead hides the way to the server, which is worth nothing to
   * long runs: another worker may have a thread for them now. And while every thread is stuck in a
   * handler that heeds no interrupt, nothing that waits would start.
   */
  private int ahead() {
    boolean longRuns = averageNanos > LONG_RUN.toNanos();
    return longRuns || overdue() == size ? 0 : prefetch;
  }

  /**
   * Whether asking for more pays: a thread idles, or half of the prefetch is used up. Topping up
   * after each run would make every hold a hold of one.
   */
  synchronized boolean wantsMore() {
    return room() > 0 && (running.size() < size || queued() <= ahead() / 2);
  }

  /** {@code false} if it is full or closed. */
  synchronized boolean offer(Run run) {
    if (room() == 0) {
      return false;
    }
    queue.addLast(run);
    if (threads < size && threads - running.size() < queue.size()) {
      startThread();
    }
    wakeOne();
    return true;
  }

  /** Takes no more and hands out what waits; what runs goes on. */
  synchronized List<Run> close() {
    closed = true;
    List<Run> waiting = new ArrayList<>(queue);
    queue.clear();
    notifyAll();
    return waiting;
  }

  synchronized int queued() {
    forgetEnded();
    return queue.size();
  }

  /** The places on devices that queued runs wait for. */
  synchronized int queuedForPlaces() {
    forgetEnded();
    return queue.stream().mapToInt(Run::places).sum();
  }

  synchronized int working() {
    return running.size() - overdue();
  }

  /** Threads in handlers that go on although their run is over. */
  synchronized int overdue() {
    return (int) running.stream().filter(Run::overdue).count();
  }

  /** Those of the overdue ones that were interrupted long ago. */
  synchronized List<Run> stuck() {
    long now = ticker.nanos();
    return running.stream().filter(run -> run.stuck(now)).toList();
  }

  /** Runs that could start at once, slots aside. */
  synchronized int freeThreads() {
    return size - running.size();
  }

  synchronized List<Run> running() {
    return List.copyOf(running);
  }

  /** One thread for one run that can start now; who wakes in vain waits again. */
  synchronized void wakeOne() {
    notify();
  }

  /** A run can end while it waits: cancelled, lost, or given back. */
  private void forgetEnded() {
    queue.removeIf(run -> run.state() != RunState.QUEUED);
  }

  private void startThread() {
    Thread thread = new Thread(this::work, "asyncflow-" + taskType + "-" + (threads + 1));
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
      runner.run(next.run(), next.slot());
    } finally {
      long took = ticker.nanos() - start;
      synchronized (this) {
        running.remove(next.run());
        averageNanos += averageNanos == 0 ? took : WEIGHT * (took - averageNanos);
      }
      if (next.slot() != null) {
        slots.giveBack(next.slot());
      }
      freed.run();
    }
  }

  private synchronized Assignment take() throws InterruptedException {
    while (true) {
      Optional<Assignment> next = firstThatCanStart();
      if (next.isPresent()) {
        running.add(next.get().run());
        return next.get();
      }
      if (closed) {
        return null;
      }
      wait();
    }
  }

  private Optional<Assignment> firstThatCanStart() {
    forgetEnded();
    boolean slotsTaken = false;
    for (Iterator<Run> waiting = queue.iterator(); waiting.hasNext(); ) {
      Run run = waiting.next();
      if (run.isSuspect() && reporting.getAsBoolean()) {
        continue;
      }
      if (run.places() == 0) {
        waiting.remove();
        return Optional.of(new Assignment(run, null));
      }
      Optional<Slot> slot = slotsTaken ? Optional.empty() : slots.tryTake(run.places());
      if (slot.isPresent()) {
        waiting.remove();
        return Optional.of(new Assignment(run, slot.get()));
      }
      // Nobody who takes fewer places goes first, or one who takes many would wait for ever.
      slotsTaken = true;
    }
    return Optional.empty();
  }
}
