package io.asyncflow.flowsvr.operate.stats.present;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One value for all who look: one of them reads it, and the others get the last one meanwhile.
 * Thread-safe.
 *
 * <p>After a read, none follows for two seconds, nor for {@code rest} times as long as it took:
 * with 50, reads take at most a fiftieth of one connection's time. A read that failed is followed
 * by the same rest. Meanwhile all callers get the last value, or the failure if there is none.
 *
 * @param <T> an immutable value
 */
final class Snapshots<T> {

  private static final Logger log = LoggerFactory.getLogger(Snapshots.class);
  private static final Duration FRESH = Duration.ofSeconds(2);

  /** What is older is shown to none, even while another caller reads. */
  private static final Duration OLD = Duration.ofSeconds(30);

  private final Supplier<T> source;
  private final int rest;
  private final Node node;
  private final TimedCache<Attempt<T>> attempts;

  /**
   * @param rest after a read, none follows for so many times as long as it took
   */
  Snapshots(Supplier<T> source, int rest, Node node) {
    this.source = source;
    this.rest = rest;
    this.node = node;
    this.attempts = new TimedCache<>(new Attempt<>(null, FRESH, null), this::read, node::nanoTime);
  }

  /**
   * A read.
   *
   * @param value of the last one that succeeded; {@code null} if none has
   * @param failure {@code null} if it succeeded
   */
  private record Attempt<T>(T value, Duration rest, RuntimeException failure) {}

  private Attempt<T> read() {
    T value = attempts.lastKnown().value();
    RuntimeException failure = null;
    long begun = node.nanoTime();
    try {
      value = source.get();
    } catch (RuntimeException e) {
      log.debug("numbers could not be read; the last ones are shown", e);
      failure = e;
    }
    Duration took = Duration.ofNanos(node.nanoTime() - begun);
    return new Attempt<>(value, longer(FRESH, took.multipliedBy(rest)), failure);
  }

  /**
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if another caller reads the first
   *     value for too long
   */
  T current() {
    return valueOf(lastWithin(Duration.ZERO));
  }

  /**
   * A value that was read within this time, or the last one if it is not yet time for the next
   * read.
   *
   * @throws RuntimeException the failure of the last read, if it failed
   */
  T within(Duration age) {
    Attempt<T> last = lastWithin(age);
    if (last.failure() != null) {
      throw last.failure();
    }
    return valueOf(last);
  }

  private Attempt<T> lastWithin(Duration age) {
    Attempt<T> last = attempts.lastKnown();
    Duration rest = longer(age, last.rest()).plusNanos(1);
    boolean isOld =
        last.value() != null && attempts.known(longer(OLD, rest.multipliedBy(2))).isEmpty();
    return isOld ? attempts.fresh(rest) : attempts.within(rest);
  }

  private static <T> T valueOf(Attempt<T> last) {
    if (last.value() == null) {
      throw last.failure() != null
          ? last.failure()
          : new FlowException(ErrorCode.LIMIT_EXCEEDED, "the numbers are still read; try again");
    }
    return last.value();
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
