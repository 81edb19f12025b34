package io.asyncflow.bench.work;

import io.asyncflow.bench.system.TaskSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
      createAt(begin, due, system, first);
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

  private static void createAt(long begin, long[] due, TaskSystem system, int first)
      throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<Void>> all = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        int own = client;
        all.add(
            clients.submit(
                () -> {
                  try (TaskSystem.Creator creator = system.creator()) {
                    for (int i = own; i < due.length; i += CLIENTS) {
                      TimeUnit.NANOSECONDS.sleep(begin + due[i] - System.nanoTime());
                      creator.createOne(first + i);
                    }
                  }
                  return null;
                }));
      }
      for (Future<Void> one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a client could not create", e.getCause());
    } finally {
      clients.shutdownNow();
    }
  }
}
