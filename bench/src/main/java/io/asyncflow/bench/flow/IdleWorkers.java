package io.asyncflow.bench.flow;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.measure.IdleCost;
import io.asyncflow.bench.resource.CpuMeter;
import io.asyncflow.bench.resource.CpuReading;
import io.asyncflow.bench.resource.CpuUse;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Workers of one type that wait for tasks, and there are none.
 *
 * <p>They are the same in all rounds, and have done tasks before the first: what is measured is
 * what waiting costs, and not what it costs to start, nor the JIT, which calls as rare as these
 * would keep busy for many minutes.
 */
public final class IdleWorkers implements Contender<IdleCost> {

  private static final String TYPE = "bench_idle";
  private static final int BULK = 100;

  /** Far more than it takes; a task that is lost ends the bench. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final int SUCCESS = 4;

  /** Until every worker has its long poll parked. */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  private final TestBed bed;
  private final int workers;
  private final int tasks;
  private final List<Worker> fleet = new ArrayList<>();

  /**
   * @param tasks that they do before they are idle
   */
  public IdleWorkers(TestBed bed, int workers, int tasks) {
    this.bed = bed;
    this.workers = workers;
    this.tasks = tasks;
    bed.addType(Workload.type(TYPE, 100));
  }

  @Override
  public String name() {
    return workers + " idle workers";
  }

  @Override
  public String conditions() {
    return "SDK workers with its defaults, all in this JVM with one HTTP client; one fleet for all"
        + " rounds, which has done "
        + tasks
        + " tasks before the first and does none while it is measured";
  }

  @Override
  public IdleCost run(int seconds) throws Exception {
    try (Connection connection = bed.connect()) {
      if (fleet.isEmpty()) {
        start();
        warmUp(connection);
      }
      TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
      return measure(connection, seconds);
    }
  }

  private void start() {
    FlowClient client = new HttpFlowClient(bed.url(), null);
    for (int i = 0; i < workers; i++) {
      fleet.add(
          Worker.builder()
              .client(client)
              .handler(TYPE, Workload.STAGE, context -> StageResult.done())
              .build());
    }
    fleet.forEach(Worker::start);
  }

  /** Some tasks at a time: more would only wait in the workers, and on a slow machine too long. */
  private void warmUp(Connection connection) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (int from = 0; from < tasks; from += BULK) {
      int to = Math.min(from + BULK, tasks);
      bed.flow().createTasks(Workload.tasks(TYPE, from, to));
      while (bed.count(connection, TYPE, SUCCESS) < to) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("the idle workers have not done what they were given");
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  private IdleCost measure(Connection connection, int seconds)
      throws SQLException, InterruptedException {
    CpuMeter meter = bed.cpuMeter();
    CpuReading before = meter.get();
    double statements = ServerStatus.statementsPerSecond(connection, seconds);
    CpuReading after = meter.get();
    double elapsed = (after.nanos() - before.nanos()) / 1e9;
    return new IdleCost(statements, CpuUse.between(before, after).ownCores(elapsed));
  }

  /** All at once: each takes its time. */
  @Override
  public void close() throws InterruptedException {
    ExecutorService closing = Executors.newCachedThreadPool();
    try {
      closing.invokeAll(
          fleet.stream().map(worker -> (Callable<Void>) () -> close(worker)).toList());
    } finally {
      closing.shutdown();
    }
  }

  private static Void close(Worker worker) {
    worker.close();
    return null;
  }
}
