package io.asyncflow.flowsvr.base.system.concurrent;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Causes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Caches the result of a database query, for a second unless the caller says otherwise.
 *
 * <p>One thread reads at a time. Meanwhile, callers that accept an old value get it, and others
 * wait for the result. So there is at most one statement a second for known values, at most one
 * every {@link #MISS_PAUSE} for missing ones, and none without callers.
 *
 * <p>While the database does not answer, one caller a second gets the failure. The others get the
 * cached value at once and fail at their next statement, so no caller waits for the database twice.
 * Thread-safe.
 *
 * @param <T> an immutable value
 */
public final class TimedCache<T> {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final long MISS_PAUSE = Duration.ofMillis(25).toNanos();
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();
  private static final long NO_PATIENCE = 0;

  private final Supplier<T> source;
  private final LongSupplier nanoTime;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Reading<T> cached;
  private volatile long changedAt;

  /**
   * @param initial the value before the first read
   * @param source reads the database
   * @param nanoTime the monotonic clock
   */
  public TimedCache(T initial, Supplier<T> source, LongSupplier nanoTime) {
    this.source = source;
    this.nanoTime = nanoTime;
    this.changedAt = nanoTime.getAsLong();
    this.cached = new Reading<>(initial, changedAt - SECOND.toNanos(), null);
  }

  /** {@link #within} a second. */
  public T recent() {
    return within(SECOND);
  }

  /**
   * The cached value if it is at most this old and no change on this server outdated it; else a new
   * one, or the cached value while another thread's read is slow. After a failed read, which
   * throws, it is the cached value for a second.
   */
  public T within(Duration age) {
    Reading<T> reading = cached;
    Duration atMost = reading.failure == null ? age : SECOND;
    long oldest = nanoTime.getAsLong() - atMost.toNanos();
    boolean outdated = reading.asOf - changedAt < 0;
    if (!outdated && reading.asOf - oldest > 0) {
      return reading.value;
    }
    return awaitTurn(outdated ? PATIENCE : NO_PATIENCE)
        ? readInTurn(outdated ? changedAt : oldest, MISS_PAUSE).orThrow()
        : cached.value;
  }

  /**
   * The cached value of any age, unless a change on this server outdated it; empty otherwise. Never
   * reads, so it needs no connection.
   */
  public Optional<T> known() {
    Reading<T> reading = cached;
    return reading.asOf - changedAt < 0 ? Optional.empty() : Optional.of(reading.value);
  }

  /** The same, if it is at most this old and its read did not fail. */
  public Optional<T> known(Duration age) {
    Reading<T> reading = cached;
    boolean isYoung = reading.asOf - (nanoTime.getAsLong() - age.toNanos()) > 0;
    return isYoung && reading.failure == null ? known() : Optional.empty();
  }

  /** The cached value, outdated or not. Neither reads nor waits, and never throws. */
  public T lastKnown() {
    return cached.value;
  }

  /**
   * The recent value if it satisfies {@code hasIt}; else one read after this call began, which
   * callers share that do not find it, either.
   */
  public T recentIf(Predicate<T> hasIt) {
    return hasIt.test(cached.value) ? recent() : readSince(nanoTime.getAsLong(), MISS_PAUSE);
  }

  /**
   * A value read after this call began, without a pause between reads; callers that arrive during a
   * read share the next one. For callers that send the database further statements anyway. Throws
   * the failure of the read.
   */
  public T current() {
    return readSince(nanoTime.getAsLong(), 0);
  }

  /**
   * A value at most this old, and never one read before a change on this server. Throws the failure
   * of the read.
   */
  public T fresh(Duration age) {
    long oldest = nanoTime.getAsLong() - age.toNanos();
    return readSince(oldest - changedAt < 0 ? changedAt : oldest, MISS_PAUSE);
  }

  /** Marks the cached value as outdated by a change on this server. */
  public void outdated() {
    changedAt = nanoTime.getAsLong();
  }

  private T readSince(long moment, long pause) {
    Reading<T> reading = cached;
    if (reading.asOf - moment >= 0) {
      return reading.orThrow();
    }
    if (!awaitTurn(PATIENCE)) {
      throw new FlowException(ErrorCode.UNAVAILABLE, "the database is too slow");
    }
    return readInTurn(moment, pause).orThrow();
  }

  /**
   * @param pause least time between the starts of two reads, in ns
   */
  private Reading<T> readInTurn(long moment, long pause) {
    try {
      Reading<T> reading = cached;
      if (reading.asOf - moment < 0) {
        LockSupport.parkNanos(reading.asOf + pause - nanoTime.getAsLong());
        cached = read(reading);
      }
      return cached;
    } finally {
      reading.unlock();
    }
  }

  private boolean awaitTurn(long patience) {
    try {
      return reading.tryLock(patience, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Reading<T> read(Reading<T> previous) {
    long begin = nanoTime.getAsLong();
    try {
      return new Reading<>(source.get(), begin, null);
    } catch (RuntimeException e) {
      if (Causes.first(FlowException.class, e).isPresent()) {
        throw e; // a refusal to this thread says nothing of the database: others read for
        // themselves
      }
      return new Reading<>(previous.value, nanoTime.getAsLong(), e);
    }
  }

  /**
   * The result of a read.
   *
   * @param asOf when the read began, because later changes may be missing; the time of the failure,
   *     if it failed
   * @param failure why the read failed, and {@code value} is the previous one; {@code null} if it
   *     succeeded
   */
  private record Reading<T>(T value, long asOf, RuntimeException failure) {

    T orThrow() {
      if (failure != null) {
        throw failure;
      }
      return value;
    }
  }
}
