package io.asyncflow.bench.schedule;

import io.asyncflow.bench.system.TaskSystem.Runner;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/** When the handler of each of a run's schedules was started first. Thread-safe. */
final class FireStarts implements IntConsumer {

  /** Some look at their clock in milliseconds, and do not wait for the last two. */
  static final int EARLY_MS = 10;

  /** After so long without a start, what has not started is missed. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long second starts are waited for. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(2);

  private final int first;
  private final AtomicLongArray micros;
  private final AtomicInteger started = new AtomicInteger();
  private final AtomicInteger doubled = new AtomicInteger();
  private final AtomicLong last = new AtomicLong();

  /**
   * @param first number of the run's first schedule; the others follow it
   */
  FireStarts(int first, int schedules) {
    this.first = first;
    this.micros = new AtomicLongArray(schedules);
  }

  @Override
  public void accept(int number) {
    long now = micros(Instant.now());
    int schedule = number - first;
    if (schedule < 0 || schedule >= micros.length()) {
      return; // of an earlier run, which has counted it as missed
    }
    if (micros.compareAndSet(schedule, 0, now)) {
      last.accumulateAndGet(now, Math::max);
      started.incrementAndGet();
    } else {
      doubled.incrementAndGet();
    }
  }

  /** Returns when all have been started and no second start is expected, or some are missed. */
  void await(Instant fireTime, Runner runner) throws Exception {
    while (started.get() < micros.length()) {
      runner.check();
      long since = micros(Instant.now()) - Math.max(micros(fireTime), last.get());
      if (since > TimeUnit.NANOSECONDS.toMicros(PATIENCE.toNanos())) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    TimeUnit.NANOSECONDS.sleep(AFTERWARDS.toNanos());
    runner.check();
  }

  FireRun run(Instant fireTime, Histogram holdable) {
    Histogram starts = new Histogram(3);
    int early = 0;
    for (int i = 0; i < micros.length(); i++) {
      if (micros.get(i) > 0) {
        long late = micros.get(i) - micros(fireTime);
        early += late < -1000L * EARLY_MS ? 1 : 0;
        starts.recordValue(Math.max(0, late));
      }
    }
    int missed = micros.length() - (int) starts.getTotalCount();
    return new FireRun(holdable, starts, missed, doubled.get(), early);
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }
}
