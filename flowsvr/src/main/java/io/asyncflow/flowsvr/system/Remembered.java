package io.asyncflow.flowsvr.system;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What one statement reads of the database, remembered for a second.
 *
 * <p>One thread at a time reads, and whoever waits meanwhile takes what that one got if it is new
 * enough: at most one statement a second for what is known, at most one every {@link #MISS_PAUSE}
 * for what is not, and none while nobody asks. A database that does not answer costs the waiting
 * ones one time-out together, not one each. Thread-safe.
 *
 * @param <T> an immutable value
 */
public final class Remembered<T> {

  private static final long FRESH = Duration.ofSeconds(1).toNanos();
  private static final long MISS_PAUSE = Duration.ofMillis(25).toNanos();
  private static final long PATIENCE = Duration.ofSeconds(1).toNanos();

  private final Supplier<T> source;
  private final LongSupplier nanoTime;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Reading<T> last;
  private volatile long changedAt;

  /**
   * @param before the value until something has been read
   * @param source reads the database
   * @param nanoTime the monotonic clock
   */
  public Remembered(T before, Supplier<T> source, LongSupplier nanoTime) {
    this.source = source;
    this.nanoTime = nanoTime;
    this.changedAt = nanoTime.getAsLong();
    this.last = new Reading<>(before, changedAt - FRESH, null);
  }

  /** At most a second old, or what was read last while the database does not answer. */
  public T recent() {
    long now = nanoTime.getAsLong();
    Reading<T> seen = last;
    if (now - seen.asOf < FRESH && seen.asOf - changedAt >= 0) {
      return seen.value;
    }
    long oldest = now - FRESH;
    return readSince(oldest - changedAt > 0 ? oldest : changedAt).value;
  }

  /** Not older than this call. Throws what reading threw. */
  public T current() {
    return readSince(nanoTime.getAsLong()).orThrow();
  }

  /** Something was changed: nobody is given what was read before. */
  public void outdated() {
    changedAt = nanoTime.getAsLong();
  }

  private Reading<T> readSince(long moment) {
    if (!awaitTurn()) {
      return last.failed(new FlowException(ErrorCode.UNAVAILABLE, "the database is too slow"));
    }
    try {
      Reading<T> seen = last;
      if (seen.asOf - moment < 0) {
        LockSupport.parkNanos(seen.asOf + MISS_PAUSE - nanoTime.getAsLong());
        last = read(seen);
      }
      return last;
    } finally {
      reading.unlock();
    }
  }

  private boolean awaitTurn() {
    try {
      return reading.tryLock(PATIENCE, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Reading<T> read(Reading<T> before) {
    long begin = nanoTime.getAsLong();
    try {
      return new Reading<>(source.get(), begin, null);
    } catch (RuntimeException e) {
      return new Reading<>(before.value, nanoTime.getAsLong(), e);
    }
  }

  /**
   * What a reading brought.
   *
   * @param asOf when it began, since nothing younger is sure to be in it; when it failed, the time
   *     of the failure
   * @param failure why it brought nothing; then {@code value} is that of the one before
   */
  private record Reading<T>(T value, long asOf, RuntimeException failure) {

    Reading<T> failed(RuntimeException why) {
      return new Reading<>(value, asOf, why);
    }

    T orThrow() {
      if (failure != null) {
        throw failure;
      }
      return value;
    }
  }
}
