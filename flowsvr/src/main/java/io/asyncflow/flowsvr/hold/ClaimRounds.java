package io.asyncflow.flowsvr.hold;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules the claims of a line: one round at a time. All requests for a round while one is
 * running cause one more round, so a burst of news costs only as many rounds as there is work for.
 *
 * <p>Thread-safe. It calls {@code isAnyWaiting} with its lock held, so the code behind that must
 * not call this class with its own lock held.
 */
final class ClaimRounds {

  private static final Logger log = LoggerFactory.getLogger(ClaimRounds.class);

  /** The delay before a round is tried again for which no thread could be started. */
  private static final long NO_THREAD_MS = 1_000;

  /** The longest delay before the next round. */
  private static final long MAX_DELAY_MS = 5_000;

  private final Round round;
  private final BooleanSupplier isAnyWaiting;
  private final HoldThreads threads;
  private boolean running;
  private boolean anotherRequested;

  /** Whether something else than an arrival asked for the next round. */
  private boolean forAll;

  private ScheduledFuture<?> alarm;

  /**
   * @param round makes one claim and returns the delay in ms until the next one; must not throw
   * @param isAnyWaiting whether any hold waits; if none does, no alarm is set
   */
  ClaimRounds(Round round, BooleanSupplier isAnyWaiting, HoldThreads threads) {
    this.round = round;
    this.isAnyWaiting = isAnyWaiting;
    this.threads = threads;
  }

  /** One claim. */
  @FunctionalInterface
  interface Round {

    /**
     * Makes it.
     *
     * @param forAll whether something may have become due for the parked holds; if not, holds have
     *     arrived
     * @return the delay in ms until the next one
     */
    long make(boolean forAll);
  }

  /**
   * Makes a round for a hold that has arrived, in the caller's thread, or requests another one if
   * one is running.
   */
  void runInCallersThread() {
    if (begin(false)) {
      runOnce();
    }
  }

  /** Makes a round for all holds in a pool thread, or requests another one if one is running. */
  void run() {
    if (begin(true)) {
      runInPool();
    }
  }

  /** False if a round is running; then another one is requested. */
  private synchronized boolean begin(boolean isForAll) {
    forAll |= isForAll;
    anotherRequested = running;
    running = true;
    return !anotherRequested;
  }

  /** If no thread can be started, the next caller or the alarm makes the round. */
  private void runInPool() {
    try {
      threads.execute(this::runOnce);
    } catch (Throwable e) { // even an Error, or running would stay true for ever
      log.warn("no thread could be started to claim for holds; trying again in a second", e);
      synchronized (this) {
        running = false;
      }
      runIn(NO_THREAD_MS);
    }
  }

  /** Makes one round. A round requested meanwhile is queued behind those of other lines. */
  private void runOnce() {
    boolean isForAll;
    synchronized (this) {
      isForAll = forAll;
      forAll = false;
      anotherRequested = false; // before the round reads which holds wait
    }
    long againInMs = NO_THREAD_MS; // if the round throws, even an Error
    try {
      againInMs = round.make(isForAll);
    } finally {
      end(againInMs);
    }
  }

  private void end(long againInMs) {
    boolean runAgain;
    boolean coversAll;
    synchronized (this) {
      runAgain = anotherRequested;
      running = runAgain;
      coversAll = runAgain && forAll;
    }
    if (runAgain) {
      runInPool();
    }
    if (!coversAll) { // the next round may not learn what is due for the parked holds
      runIn(againInMs);
    }
  }

  /** Sets the alarm for the next round, unless it is set for an earlier time. */
  void runIn(long delayMs) {
    if (!isAnyWaiting.getAsBoolean()) {
      return;
    }
    long pause = Math.max(1, Math.min(delayMs, MAX_DELAY_MS));
    synchronized (this) {
      if (alarm != null) {
        if (alarm.getDelay(TimeUnit.MILLISECONDS) <= pause) {
          return;
        }
        alarm.cancel(false);
      }
      alarm = threads.after(pause, this::ring);
    }
  }

  /** Cancels the alarm if no hold waits any more. */
  synchronized void cancelAlarmIfIdle() {
    // Within the lock, so that the alarm of a hold that arrives now is set after this.
    if (alarm != null && !isAnyWaiting.getAsBoolean()) {
      alarm.cancel(false);
      alarm = null;
    }
  }

  /** Clears the alarm before the round starts, because a quick round may set the next one. */
  private void ring() {
    synchronized (this) {
      alarm = null;
    }
    run();
  }
}
