package io.asyncflow.bench;

import io.asyncflow.api.NewTask;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/**
 * How long a task waits when nobody else does: from just before createTask to the start of its
 * handler, in a worker of this JVM, so that one clock tells both. Tasks arrive one by one at random
 * moments; the worker waits for them in a long poll.
 */
final class CreateToStart implements Contender<Histogram> {

  static final String TYPE = "bench_start";

  private static final double SHORTEST_GAP_MS = 50;
  private static final double LONGEST_GAP_MS = 300;
  private static final double MEAN_GAP_MS = 130;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int WARM_UP_ARRIVALS = 3;

  private final TestBed bed;

  /** Seeded: each run of the bench sees the same arrivals. */
  private final Random random = new Random(42);

  CreateToStart(TestBed bed) {
    this.bed = bed;
    bed.addType(Workload.type(TYPE, 100));
  }

  @Override
  public String name() {
    return "create to start, idle";
  }

  static String conditions() {
    return "gaps of %.0f to %.0f ms, exponential; a worker with the SDK's defaults"
        .formatted(SHORTEST_GAP_MS, LONGEST_GAP_MS);
  }

  @Override
  public Histogram run(int arrivals) throws Exception {
    int all = WARM_UP_ARRIVALS + arrivals;
    long[] created = new long[all];
    AtomicLongArray started = new AtomicLongArray(all);
    CountDownLatch running = new CountDownLatch(all);
    try (Worker worker = worker(started, running)) {
      worker.start();
      for (int i = 0; i < all; i++) {
        TimeUnit.NANOSECONDS.sleep(gap().toNanos());
        NewTask task = NewTask.of(TYPE, Workload.STAGE, "arrival-" + i, Workload.context());
        created[i] = System.nanoTime();
        bed.flow().createTask(task);
      }
      if (!running.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(running.getCount() + " tasks never started");
      }
    }
    Histogram latencies = new Histogram(3);
    for (int i = WARM_UP_ARRIVALS; i < all; i++) {
      latencies.recordValue((started.get(i) - created[i]) / 1000);
    }
    return latencies;
  }

  private Worker worker(AtomicLongArray started, CountDownLatch running) {
    return Worker.builder()
        .url(bed.url().toString())
        .handler(
            TYPE,
            Workload.STAGE,
            context -> {
              long now = System.nanoTime();
              int arrival = Integer.parseInt(context.userId().substring("arrival-".length()));
              // Only its first start counts.
              if (started.compareAndSet(arrival, 0, now)) {
                running.countDown();
              }
              return StageResult.done();
            })
        .build();
  }

  /** Arrivals without memory, but never two at once and never a long pause. */
  private Duration gap() {
    double exponential = -Math.log(1 - random.nextDouble()) * (MEAN_GAP_MS - SHORTEST_GAP_MS);
    double millis = Math.min(LONGEST_GAP_MS, SHORTEST_GAP_MS + exponential);
    return Duration.ofNanos((long) (millis * 1e6));
  }
}
