package io.asyncflow.flowsvr.base.system.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * So many requests a second, and as many at once: a bucket of tokens. All of it is one number, the
 * time at which the bucket is full again, so a request costs one exchange of it. Thread-safe.
 */
public final class RequestRate {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private final AtomicLong fullAt;

  /**
   * @param perSecond at least 1
   * @param now nanoseconds of a monotonic clock
   */
  public RequestRate(int perSecond, long now) {
    this.perSecond = perSecond;
    this.fullAt = new AtomicLong(now);
  }

  public int perSecond() {
    return perSecond;
  }

  /**
   * Takes a token for a request.
   *
   * @param now nanoseconds of the same clock
   * @param seconds how many seconds' worth of tokens the bucket is to have for this request; what
   *     it takes beyond the first is missing to those that come with fewer
   * @return how long there is none yet; zero if one was taken
   */
  public Duration take(long now, int seconds) {
    long one = SECOND / perSecond;
    while (true) {
      long full = fullAt.get();
      long next = (full - now > 0 ? full : now) + one; // the clock may be negative
      long missing = next - now - seconds * SECOND;
      if (missing > 0) {
        return Duration.ofNanos(missing);
      }
      if (fullAt.compareAndSet(full, next)) {
        return Duration.ZERO;
      }
    }
  }
}
