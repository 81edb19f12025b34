package io.asyncflow.flowsvr.stats.present;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.system.Node;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One value for all who look: each gets the last one, and the next one is read while somebody
 * looks. A caller waits only if there is none, or if nobody has looked for a while. Thread-safe.
 *
 * <p>After a read, none follows for two seconds, nor for {@code rest} times as long as it took:
 * with 50, reads take at most a fiftieth of one connection's time. A read that failed is followed
 * by the same rest. Meanwhile all callers get the last value, however old, or the failure if there
 * is none.
 *
 * @param <T> an immutable value
 */
final class Snapshots<T> {

  private static final Logger log = LoggerFactory.getLogger(Snapshots.class);

  private static final long FRESH = Duration.ofSeconds(2).toNanos();
  private static final long STALE = Duration.ofSeconds(30).toNanos();
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Supplier<T> source;
  private final Node node;
  private final Executor background;
  private final Duration patience;
  private final int rest;
  private final ReentrantLock reading = new ReentrantLock();
  private final AtomicBoolean isWanted = new AtomicBoolean();
  private volatile T last;
  private volatile Attempt attempt;

  /**
   * @param rest after a read, none follows for so many times as long as it took
   * @param background reads the next value while the last one is shown
   */
  Snapshots(Supplier<T> source, int rest, Node node, Executor background) {
    this(source, rest, node, background, PATIENCE);
  }

  /**
   * @param patience for how long a caller waits for the read of another one
   */
  Snapshots(Supplier<T> source, int rest, Node node, Executor background, Duration patience) {
    this.rest = rest;
    this.source = source;
    this.node = node;
    this.background = background;
    this.patience = patience;
  }

  /**
   * The last read.
   *
   * @param failure {@code null} if it succeeded
   */
  private record Attempt(long begun, long rest, RuntimeException failure) {

    boolean rests(long now) {
      return now - begun <= rest();
    }

    boolean isStale(long now) {
      return now - begun > Math.max(STALE, 2 * rest());
    }
  }

  /**
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if another caller reads the first
   *     value for too long
   */
  T current() {
    Attempt known = attempt;
    long now = node.nanoTime();
    if (known != null && known.rests(now)) {
      return lastOr(known.failure());
    }
    if (last == null || known.isStale(now)) {
      return readInTurn(known);
    }
    if (isWanted.compareAndSet(false, true)) {
      background.execute(this::readInBackground);
    }
    return last;
  }

  /**
   * A value that was read within this time, or the last one if it is not yet time for the next
   * read.
   *
   * @throws RuntimeException the failure of the last read, if it failed
   */
  T within(Duration age) {
    Attempt known = attempt;
    long now = node.nanoTime();
    if (known == null || now - known.begun() > Math.max(age.toNanos(), known.rest())) {
      readInTurn(known);
      known = attempt;
    }
    if (known != null && known.failure() != null) {
      throw known.failure();
    }
    return lastOr(null);
  }

  /** Whether somebody has looked within this time. */
  boolean isInUse(Duration within) {
    Attempt known = attempt;
    return known == null || node.nanoTime() - known.begun() < within.toNanos();
  }

  private T lastOr(RuntimeException failure) {
    if (last == null && failure != null) {
      throw failure;
    }
    return last;
  }

  /** Of those who wait, one reads. */
  private T readInTurn(Attempt known) {
    if (!awaitTurn()) {
      return lastOr(
          new FlowException(ErrorCode.LIMIT_EXCEEDED, "the numbers are still read; try again"));
    }
    try {
      if (attempt == known) {
        read();
      }
      return lastOr(attempt.failure());
    } finally {
      reading.unlock();
    }
  }

  private boolean awaitTurn() {
    try {
      return reading.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void readInBackground() {
    reading.lock();
    try {
      if (!attempt.rests(node.nanoTime())) {
        read();
      }
    } finally {
      isWanted.set(false);
      reading.unlock();
    }
  }

  private void read() {
    long begun = node.nanoTime();
    RuntimeException failure = null;
    try {
      last = source.get();
    } catch (RuntimeException e) {
      log.debug("numbers could not be read; the last ones are shown", e);
      failure = e;
    }
    long took = node.nanoTime() - begun;
    attempt = new Attempt(begun, Math.max(FRESH, rest * took), failure);
  }
}
