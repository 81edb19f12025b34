package io.asyncflow.flowsvr.hold;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a line makes its claims: one round at a time. Whatever calls for a round while one is under
 * way makes for one more, so a burst of news costs as many rounds as there is work for, not as many
 * as there is news.
 *
 * <p>Thread-safe. It asks whether anything waits with its lock held, so whatever answers that must
 * not call in here with its own.
 */
final class ClaimRounds {

  private static final Logger log = LoggerFactory.getLogger(ClaimRounds.class);

  /** After this a round is tried again for which there was no thread. */
  private static final long NO_THREAD_MS = 1_000;

  /** The next round comes after this, whatever the one before came to. */
  private static final long LONGEST_REST_MS = 5_000;

  private final LongSupplier round;
  private final BooleanSupplier isAnyWaiting;
  private final HoldThreads threads;
  private boolean running;
  private boolean again;
  private ScheduledFuture<?> alarm;

  /**
   * @param round makes one claim and returns after how many ms the next one is wanted; throws
   *     nothing
   * @param isAnyWaiting whether there is anything to claim for; if not, no alarm is set
   */
  ClaimRounds(LongSupplier round, BooleanSupplier isAnyWaiting, HoldThreads threads) {
    this.round = round;
    this.isAnyWaiting = isAnyWaiting;
    this.threads = threads;
  }

  /** Makes a round in the caller's thread, unless one is under way. */
  void runHere() {
    if (begin()) {
      runOnce();
    }
  }

  /** Makes a round in a thread of its own, unless one is under way. */
  void run() {
    if (begin()) {
      runInAThread();
    }
  }

  /** False if a round is under way; then there will be one more. */
  private synchronized boolean begin() {
    again = running;
    running = true;
    return !again;
  }

  /** If there is no thread to be had, whoever comes next makes the round, or the alarm. */
  private void runInAThread() {
    try {
      threads.execute(this::runOnce);
    } catch (Throwable e) { // even an Error, or no round would ever be made again
      log.warn("no thread could be had to serve holds; those that wait will be in a second", e);
      synchronized (this) {
        running = false;
      }
      runIn(NO_THREAD_MS);
    }
  }

  /** One round; if there was news meanwhile, the next one queues up behind those of other lines. */
  private void runOnce() {
    synchronized (this) {
      again = false; // before the round looks who waits
    }
    long againInMs = round.getAsLong();
    boolean goOn;
    synchronized (this) {
      goOn = again;
      running = goOn;
    }
    if (goOn) {
      runInAThread();
    } else {
      runIn(againInMs);
    }
  }

  /** The next round comes then, unless one comes earlier. */
  void runIn(long ms) {
    if (!isAnyWaiting.getAsBoolean()) {
      return;
    }
    long pause = Math.max(1, Math.min(ms, LONGEST_REST_MS));
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

  /** No alarm is needed where nothing waits any more. */
  synchronized void restIfNothingWaits() {
    // Within the lock, so that the alarm of a hold that comes now is set after this.
    if (alarm != null && !isAnyWaiting.getAsBoolean()) {
      alarm.cancel(false);
      alarm = null;
    }
  }

  /** The alarm is over before the round starts, which sets the next one and may be quick. */
  private void ring() {
    synchronized (this) {
      alarm = null;
    }
    run();
  }
}
