package io.asyncflow.worker.internal.run;

import io.asyncflow.worker.internal.loop.Ticker;
import java.time.Duration;

/**
 * How long a held task may be worked on, as far as this worker can know, in the {@link Ticker}'s
 * nanoseconds.
 *
 * <p>The server says durations; they are counted from the moment the request <em>started</em>, so
 * whatever time the answer took is lost to us and never gained. Both ends are therefore lower
 * bounds, and every renewal may raise them:
 *
 * <pre>
 *   hold                         startBy      deadline reportBy hardEnd
 *    |------------------------------|-------------|--------|-------|
 *    a queued run is given back after startBy; a running one is interrupted at the deadline; its
 *    "timed out" is reported by reportBy, whether the handler heeds the interrupt or not, so that
 *    the server learns it from us and not from its sweep
 * </pre>
 *
 * @param since start of the request that the server answered last
 * @param trustedUntil from here on somebody else may hold the task
 * @param hardEnd end of max_processing_time, which no renewal passes
 * @param length of a whole lease: it sets the pace of the renewals
 * @param maxProcessingTime as it was when the task was held
 */
public record Lease(
    long since, long trustedUntil, long hardEnd, Duration length, Duration maxProcessingTime) {

  /** Renewals in the length of a lease. */
  private static final int RENEWALS = 5;

  /** The server has no shorter leases. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private static final Duration LONGEST_DEADLINE_MARGIN = Duration.ofSeconds(1);
  private static final Duration LONGEST_TRUST_MARGIN = Duration.ofMillis(250);

  /**
   * The lease of a task that was held by this very request.
   *
   * @param remaining ms, as the answer says; {@code null} for a full lease
   */
  public static Lease held(long requestStart, Long remaining, TypeLimits limits) {
    Duration left = remaining(remaining, limits);
    return lease(requestStart, left, left, 0, limits);
  }

  /**
   * The lease of a task that an earlier delivery of the request held: by exactly what the remaining
   * lease lacks of a full one.
   */
  public static Lease heldBefore(long requestStart, Long remaining, TypeLimits limits) {
    Duration left = remaining(remaining, limits);
    Duration full = limits.lease();
    long age = Math.max(0, full.minus(left).toNanos());
    return lease(requestStart, left, left.compareTo(full) > 0 ? left : full, age, limits);
  }

  private static Duration remaining(Long ms, TypeLimits limits) {
    return ms == null ? limits.lease() : Duration.ofMillis(Math.max(0, ms));
  }

  private static Lease lease(
      long requestStart, Duration left, Duration length, long age, TypeLimits limits) {
    return new Lease(
        requestStart,
        requestStart + left.toNanos() - trustMargin(length),
        requestStart - age + limits.maxProcessingTime().toNanos(),
        length,
        limits.maxProcessingTime());
  }

  /**
   * The same after the server has said how long it lasts from a renewal that started then. What is
   * not cut off by the hard end is a whole lease: a type's leases may be made shorter while its
   * tasks run, and are then renewed at the new pace.
   */
  Lease renewed(long requestStart, long remainingMs) {
    Duration remaining = Duration.ofMillis(remainingMs);
    long end = requestStart + remaining.toNanos();
    Duration pace = end < hardEnd - deadlineMargin() ? atLeastAShortest(remaining) : length;
    return new Lease(
        requestStart, end - trustMargin(pace), Math.max(hardEnd, end), pace, maxProcessingTime);
  }

  /** Or a slow answer near the hard end would be taken for a lease of milliseconds. */
  private static Duration atLeastAShortest(Duration remaining) {
    return remaining.compareTo(SHORTEST) < 0 ? SHORTEST : remaining;
  }

  /** It is renewed then: several renewals may fail before it is lost. */
  public long renewAt() {
    return since + renewalInterval().toNanos();
  }

  public Duration renewalInterval() {
    return length.dividedBy(RENEWALS);
  }

  /** A run that has not started by then would have less than half of its time. */
  public long startBy() {
    return hardEnd - maxProcessingTime.toNanos() / 2;
  }

  /** The handler is interrupted then. */
  public long deadline() {
    return hardEnd - deadlineMargin();
  }

  /** "Timed out" is reported then at the latest. */
  public long reportBy() {
    return hardEnd - deadlineMargin() / 2;
  }

  /** Whether the answer was so long on its way that a second look pays. */
  public boolean stale(long now) {
    return now >= startBy() || trustedUntil - now < length.toNanos() / 2;
  }

  private long deadlineMargin() {
    return Math.min(LONGEST_DEADLINE_MARGIN.toNanos(), maxProcessingTime.toNanos() / 10);
  }

  private static long trustMargin(Duration length) {
    return Math.min(LONGEST_TRUST_MARGIN.toNanos(), length.toNanos() / 50);
  }
}
