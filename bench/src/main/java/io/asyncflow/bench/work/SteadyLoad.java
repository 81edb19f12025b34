package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long a task waits under a load that leaves workers idle now and then: from the moment at
 * which it is to be created to the start of its handler. Clients create tasks one by one, at random
 * moments of a fixed rate; a client that is late does not wait.
 */
public final class SteadyLoad extends SystemContender<Histogram> {

  /** All clients together, a second. */
  public static final int RATE = 500;

  private static final int CLIENTS = 16;

  public SteadyLoad(TaskSystem system) {
    super(system);
  }

  @Override
  Histogram run(TaskSystem system, int first, int tasks) throws Exception {
    long[] due = moments(tasks);
    Starts starts = new Starts(first, tasks);
    long begin;
    try (TaskSystem.Runner runner = system.run(starts)) {
      begin = System.nanoTime() + TimeUnit.SECONDS.toNanos(1); // workers wait by then
      Creation.at(begin, due, system, first, CLIENTS);
      starts.awaitDone(system, runner);
    }
    Histogram latencies = new Histogram(3);
    for (int i = 0; i < tasks; i++) {
      latencies.recordValue(Math.max(0, starts.nanosOf(first + i) - begin - due[i]) / 1_000);
    }
    return latencies;
  }

  /** Seeded: each system sees the same arrivals. */
  private static long[] moments(int tasks) {
    Random random = new Random(42);
    long[] moments = new long[tasks];
    double at = 0;
    for (int i = 0; i < tasks; i++) {
      at -= Math.log(1 - random.nextDouble()) * 1e9 / RATE;
      moments[i] = (long) at;
    }
    return moments;
  }
}
