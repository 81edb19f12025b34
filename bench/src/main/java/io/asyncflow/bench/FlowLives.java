package io.asyncflow.bench;

import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Whole lives through flowsvr and the SDK: two clients create tasks in bulk while a worker runs
 * them, with a handler that does nothing. The time ends when every row says that its task is done.
 */
final class FlowLives implements Contender<Duration> {

  static final String TYPE = "bench_life";

  private static final int CREATORS = 2;
  private static final int BULK = 500;
  private static final int TASKS_PER_HOLD = 200;
  private static final int WORKER_THREADS = 16;
  private static final int PREFETCH = 400;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LAST_REPORTS = Duration.ofSeconds(60);

  private final TestBed bed;

  FlowLives(TestBed bed) {
    this.bed = bed;
    bed.addType(Workload.type(TYPE, TASKS_PER_HOLD));
  }

  @Override
  public String name() {
    return "flowsvr + SDK, createTasks of " + BULK;
  }

  /** What else there is to know about the worker. */
  static String conditions() {
    return CREATORS
        + " creators, one worker with "
        + WORKER_THREADS
        + " threads and a prefetch of "
        + PREFETCH
        + ", schedule_limit "
        + TASKS_PER_HOLD;
  }

  @Override
  public Duration run(int tasks) throws Exception {
    int before = bed.count(TYPE, 4);
    CountDownLatch handled = new CountDownLatch(tasks);
    Duration took;
    try (Worker worker = worker(handled)) {
      worker.start();
      long start = System.nanoTime();
      create(tasks);
      if (!handled.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(handled.getCount() + " tasks never reached the worker");
      }
      awaitLastReports();
      took = Duration.ofNanos(System.nanoTime() - start);
    }
    int done = bed.count(TYPE, 4) - before;
    if (done != tasks) {
      throw new IllegalStateException(done + " of " + tasks + " tasks are done");
    }
    return took;
  }

  private Worker worker(CountDownLatch handled) {
    return Worker.builder()
        .url(bed.url().toString())
        .threads(WORKER_THREADS)
        .prefetch(PREFETCH)
        .handler(
            TYPE,
            Workload.STAGE,
            context -> {
              handled.countDown();
              return StageResult.done();
            })
        .build();
  }

  private void create(int tasks) throws Exception {
    int calls = (tasks + BULK - 1) / BULK;
    Crowd.share(
        calls,
        CREATORS,
        () ->
            call -> {
              int from = call * BULK;
              bed.flow().createTasks(Workload.tasks(TYPE, from, Math.min(from + BULK, tasks)));
            });
  }

  /** Until no task is waiting or executing; looked at only when few can be left. */
  private void awaitLastReports() throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + LAST_REPORTS.toNanos();
    try (Connection connection = bed.connect()) {
      while (bed.count(connection, TYPE, 1) + bed.count(connection, TYPE, 2) > 0) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("tasks that were handled are not reported");
        }
        Thread.sleep(2);
      }
    }
  }
}
