package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long a task waits when nobody else does: from just before its creation to the start of its
 * handler, in a worker of this JVM, so that one clock tells both. Tasks arrive one by one at random
 * moments.
 */
public final class CreateToStart extends SystemContender<Histogram> {

  private static final double SHORTEST_GAP_MS = 50;
  private static final double LONGEST_GAP_MS = 300;
  private static final double MEAN_GAP_MS = 130;
  private static final int WARM_UP_ARRIVALS = 3;

  /** Seeded: each run of the bench sees the same arrivals. */
  private final Random random = new Random(42);

  public CreateToStart(TaskSystem system) {
    super(system);
  }

  /** In a title. */
  public static String gaps() {
    return "gaps of %.0f to %.0f ms, exponential".formatted(SHORTEST_GAP_MS, LONGEST_GAP_MS);
  }

  /** The first arrivals of a run find no worker that is quite awake, and do not count. */
  @Override
  public int share(int arrivals) {
    return super.share(arrivals) + WARM_UP_ARRIVALS;
  }

  @Override
  Histogram run(TaskSystem system, int first, int arrivals) throws Exception {
    long[] created = new long[arrivals];
    Starts starts = new Starts(first, arrivals);
    try (TaskSystem.Runner runner = system.run(starts);
        TaskSystem.Creator creator = system.creator()) {
      for (int i = 0; i < arrivals; i++) {
        TimeUnit.NANOSECONDS.sleep(gap().toNanos());
        created[i] = System.nanoTime();
        creator.createOne(first + i);
      }
      starts.awaitDone(system, runner);
    }
    Histogram latencies = new Histogram(3);
    for (int i = WARM_UP_ARRIVALS; i < arrivals; i++) {
      latencies.recordValue((starts.nanosOf(first + i) - created[i]) / 1000);
    }
    return latencies;
  }

  /** Arrivals without memory, but never two at once and never a long pause. */
  private Duration gap() {
    double exponential = -Math.log(1 - random.nextDouble()) * (MEAN_GAP_MS - SHORTEST_GAP_MS);
    double millis = Math.min(LONGEST_GAP_MS, SHORTEST_GAP_MS + exponential);
    return Duration.ofNanos((long) (millis * 1e6));
  }
}
