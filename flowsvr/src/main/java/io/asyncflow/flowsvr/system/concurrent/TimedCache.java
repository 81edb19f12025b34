package io.asyncflow.flowsvr.system.concurrent;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What one statement reads of the database, remembered for a second.
 *
 * <p>One thread at a time reads. Whoever can do with an old value takes it meanwhile; whoever
 * cannot waits for what that thread gets. So there is at most one statement a second for what is
 * known, at most one every {@link #MISS_PAUSE} for what is not, and none while nobody asks.
 *
 * <p>While the database does not answer, one caller a second is told so; the others get what is
 * remembered at once, and find out by what they do next. So nobody waits for it twice. Thread-safe.
 *
 * @param <T> an immutable value
 */
public final class TimedCache<T> {

  private static final long FRESH = Duration.ofSeconds(1).toNanos();
  private static final long MISS_PAUSE = Duration.ofMillis(25).toNanos();
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();
  private static final long NO_PATIENCE = 0;

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
  public TimedCache(T before, Supplier<T> source, LongSupplier nanoTime) {
    this.source = source;
    this.nanoTime = nanoTime;
    this.changedAt = nanoTime.getAsLong();
    this.last = new Reading<>(before, changedAt - FRESH, null);
  }

  /**
   * What is remembered if it is not older than this and nothing was changed here since; else {@link
   * #recent()}. For who looks again soon anyway.
   */
  public T within(Duration age) {
    Reading<T> seen = last;
    boolean isYoung = seen.asOf - (nanoTime.getAsLong() - age.toNanos()) > 0;
    return isYoung && seen.failure == null && seen.asOf - changedAt >= 0 ? seen.value : recent();
  }

  /** At most a second old, or what is remembered while another thread is long at reading it. */
  public T recent() {
    Reading<T> seen = last;
    long oldest = nanoTime.getAsLong() - FRESH;
    boolean outdated = seen.asOf - changedAt < 0;
    if (!outdated && seen.asOf - oldest > 0) {
      return seen.value;
    }
    return awaitTurn(outdated ? PATIENCE : NO_PATIENCE)
        ? readInTurn(outdated ? changedAt : oldest, MISS_PAUSE).orThrow()
        : last.value;
  }

  /**
   * What is remembered, however old, unless something was changed here since; never reads, so it
   * needs no connection. Good for who can do with what somebody else has read about a second ago.
   */
  public Optional<T> known() {
    Reading<T> seen = last;
    return seen.asOf - changedAt < 0 ? Optional.empty() : Optional.of(seen.value);
  }

  /** Recent where what is remembered has what is looked for, else current. */
  public T recentIf(Predicate<T> hasIt) {
    return hasIt.test(last.value) ? recent() : current();
  }

  /** Not older than this call. Throws what reading threw. */
  public T current() {
    return readSince(nanoTime.getAsLong());
  }

  /**
   * Not older than this call, and without a pause: those who come while one reads share the next
   * reading, and nobody else shares it. For who asks the database for more than this anyway. Throws
   * what reading threw.
   */
  public T currentAtOnce() {
    return readSince(nanoTime.getAsLong(), 0);
  }

  /**
   * At most {@link #MISS_PAUSE} older than this call, and therefore without a pause. Throws what
   * reading threw.
   */
  public T almostCurrent() {
    return readSince(nanoTime.getAsLong() - MISS_PAUSE);
  }

  /** At most so old, and never what was read before a change. Throws what reading threw. */
  public T fresh(Duration age) {
    long oldest = nanoTime.getAsLong() - age.toNanos();
    return readSince(oldest - changedAt < 0 ? changedAt : oldest);
  }

  /** Something was changed: nobody is given what was read before. */
  public void outdated() {
    changedAt = nanoTime.getAsLong();
  }

  private T readSince(long moment) {
    return readSince(moment, MISS_PAUSE);
  }

  private T readSince(long moment, long pause) {
    if (!awaitTurn(PATIENCE)) {
      throw new FlowException(ErrorCode.UNAVAILABLE, "the database is too slow");
    }
    return readInTurn(moment, pause).orThrow();
  }

  /**
   * @param pause after the beginning of one reading before the next one begins
   */
  private Reading<T> readInTurn(long moment, long pause) {
    try {
      Reading<T> seen = last;
      if (seen.asOf - moment < 0) {
        LockSupport.parkNanos(seen.asOf + pause - nanoTime.getAsLong());
        last = read(seen);
      }
      return last;
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

    T orThrow() {
      if (failure != null) {
        throw failure;
      }
      return value;
    }
  }
}
