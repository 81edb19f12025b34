package io.asyncflow.flowsvr.operate.bulk.run;

import java.time.Duration;

/**
 * How fast bulks go: a number of tasks a second while the database answers quickly, and less while
 * it does not. Not thread-safe.
 */
final class Pace {

  /** A statement by primary key that takes longer has waited for something. */
  private static final long SLOW_READ = Duration.ofMillis(50).toNanos();

  /** A page that takes longer keeps its rows from claims for too long. */
  private static final long SLOW_PAGE = Duration.ofMillis(500).toNanos();

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  /** The slowest pace is this part of the full one. */
  private static final double LEAST = 1.0 / 32;

  private static final double FASTER = 1.1;
  private static final double SLOWER = 0.5;

  private final int perSecond;
  private double part = 1;
  private long next;

  /**
   * @param perSecond tasks at full pace
   * @param now of the monotonic clock, in ns
   */
  Pace(int perSecond, long now) {
    this.perSecond = perSecond;
    this.next = now;
  }

  /**
   * Notes a page.
   *
   * @param tasks that it was about
   * @param readNanos how long the read before it took
   * @param pageNanos how long it took itself
   * @param now of the monotonic clock, in ns
   */
  void page(int tasks, long readNanos, long pageNanos, long now) {
    boolean isSlow = readNanos > SLOW_READ || pageNanos > SLOW_PAGE;
    part = Math.max(LEAST, Math.min(1, part * (isSlow ? SLOWER : FASTER)));
    // What was missed within a second is made up for.
    next = Math.max(next, now - SECOND) + (long) (tasks * SECOND / (perSecond * part));
  }

  /** How long to wait before the next page, in ns; not positive for not at all. */
  long waitAt(long now) {
    return next - now;
  }

  /** Tasks a second at present. */
  double perSecond() {
    return perSecond * part;
  }
}
