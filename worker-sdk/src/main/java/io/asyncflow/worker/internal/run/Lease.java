package io.asyncflow.worker.internal.run;

import io.asyncflow.worker.internal.loop.Ticker;
import java.time.Duration;

/**
 * The lease of a held task as far as this worker can know, in the {@link Ticker}'s nanoseconds.
 *
 * <p>The server sends durations. They count from the <em>start</em> of the request, so network time
 * only shortens the lease. Both ends are therefore lower bounds, and every renewal may raise them:
 *
 * <pre>
 *   hold                         startBy      deadline reportBy hardEnd
 *    |------------------------------|-------------|--------|-------|
 *
 *   startBy   a run that is still queued is released
 *   deadline  a running one is interrupted
 *   reportBy  "timed out" is reported, even if the handler ignores the interrupt: before the sweep
 *             ends the hold
 * </pre>
 *
 * @param renewAt when the lease is renewed; several renewals may fail before it is lost
 * @param end from this moment on another worker may hold the task, unless there is an outage
 * @param patience for how much longer the lease is trusted, because the server cannot renew any at
 *     present, nor give the task to another worker
 * @param hardEnd a lower bound of the end of max_processing_time; a renewal that ends later raises
 *     it
 * @param length the length of a full lease, which determines the interval of renewals
 * @param maxProcessingTime its value when the task was held
 */
public record Lease(
    long renewAt,
    long end,
    Duration patience,
    long hardEnd,
    Duration length,
    Duration maxProcessingTime) {

  /** The number of renewals within the length of a lease. */
  private static final int RENEWALS = 5;

  /** The server has no shorter leases. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private static final Duration LONGEST_DEADLINE_MARGIN = Duration.ofSeconds(1);
  private static final Duration LONGEST_TRUST_MARGIN = Duration.ofMillis(250);

  /**
   * The lease of a task that this request claimed.
   *
   * @param remaining ms, from the answer; {@code null} for a full lease
   */
  public static Lease held(long requestStart, Long remaining, TypeLimits limits) {
    Duration remainingTime = remaining(remaining, limits);
    return lease(requestStart, remainingTime, remainingTime, 0, limits);
  }

  /**
   * The lease of a task that an earlier delivery of the request claimed. The elapsed time is the
   * full lease minus the remaining one.
   */
  public static Lease heldBefore(long requestStart, Long remaining, TypeLimits limits) {
    Duration remainingTime = remaining(remaining, limits);
    Duration full = limits.lease();
    long age = Math.max(0, full.minus(remainingTime).toNanos());
    return lease(
        requestStart,
        remainingTime,
        remainingTime.compareTo(full) > 0 ? remainingTime : full,
        age,
        limits);
  }

  private static Duration remaining(Long ms, TypeLimits limits) {
    return ms == null ? limits.lease() : Duration.ofMillis(Math.max(0, ms));
  }

  private static Lease lease(
      long requestStart, Duration remainingTime, Duration length, long age, TypeLimits limits) {
    return new Lease(
        requestStart + interval(length).toNanos(),
        requestStart + remainingTime.toNanos() - trustMargin(length),
        Duration.ZERO,
        requestStart - age + limits.maxProcessingTime().toNanos(),
        length,
        limits.maxProcessingTime());
  }

  /**
   * The lease after a renewal whose request started at {@code requestStart}. Unless the hard end
   * limits it, the remaining time is a full lease: a type's lease may be shortened while tasks run,
   * and is then renewed at the new interval.
   */
  Lease renewed(long requestStart, long remainingMs) {
    Duration remaining = Duration.ofMillis(remainingMs);
    long newEnd = requestStart + remaining.toNanos();
    Duration pace = newEnd < hardEnd - deadlineMargin() ? atLeastAShortest(remaining) : length;
    return new Lease(
        requestStart + interval(pace).toNanos(),
        newEnd - trustMargin(pace),
        Duration.ZERO,
        Math.max(hardEnd, newEnd),
        pace,
        maxProcessingTime);
  }

  /**
   * The lease after an answer that did not renew it. The next try comes after the usual interval,
   * near the end of the lease after half of what is left, so that it is not lost for want of one.
   */
  Lease notRenewed(long now) {
    long usual = renewalInterval().toNanos();
    long left = end - now;
    long pause = left > 0 ? Math.min(usual, left / 2) : usual;
    return new Lease(now + pause, end, patience, hardEnd, length, maxProcessingTime);
  }

  /** The lease trusted for so much longer than its end; zero after the outage. */
  Lease trustedFor(Duration longer) {
    return new Lease(renewAt, end, longer, hardEnd, length, maxProcessingTime);
  }

  /**
   * The moment at which the run is given up. In an outage it is later than the end of the lease,
   * but not later than the hard end.
   */
  public long trustedUntil() {
    return Math.max(end, Math.min(end + patience.toNanos(), hardEnd));
  }

  /**
   * A lower bound, because a slow answer near the hard end would look like a lease of milliseconds.
   */
  private static Duration atLeastAShortest(Duration remaining) {
    return remaining.compareTo(SHORTEST) < 0 ? SHORTEST : remaining;
  }

  public Duration renewalInterval() {
    return interval(length);
  }

  private static Duration interval(Duration length) {
    return length.dividedBy(RENEWALS);
  }

  /** When a run must have started to have at least half of its time. */
  public long startBy() {
    return hardEnd - maxProcessingTime.toNanos() / 2;
  }

  /** When the handler is interrupted. */
  public long deadline() {
    return hardEnd - deadlineMargin();
  }

  /** When "timed out" is reported at the latest. */
  public long reportBy() {
    return hardEnd - deadlineMargin() / 2;
  }

  /** Whether the answer took so long that the lease should be queried again. */
  public boolean stale(long now) {
    return now >= startBy() || end - now < length.toNanos() / 2;
  }

  private long deadlineMargin() {
    return Math.min(LONGEST_DEADLINE_MARGIN.toNanos(), maxProcessingTime.toNanos() / 10);
  }

  private static long trustMargin(Duration length) {
    return Math.min(LONGEST_TRUST_MARGIN.toNanos(), length.toNanos() / 50);
  }
}
