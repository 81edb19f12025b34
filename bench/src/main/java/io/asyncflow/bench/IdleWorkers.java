package io.asyncflow.bench;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Workers of one type that wait for tasks, and there are none. */
final class IdleWorkers implements Contender<IdleCost> {

  private static final String TYPE = "bench_idle";

  /** Until every worker has its long poll parked. */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  private final TestBed bed;
  private final int workers;

  IdleWorkers(TestBed bed, int workers) {
    this.bed = bed;
    this.workers = workers;
    bed.addType(Workload.type(TYPE, 100));
  }

  @Override
  public String name() {
    return workers + " idle workers";
  }

  @Override
  public String conditions() {
    return "SDK workers with its defaults, all in this JVM with one HTTP client";
  }

  @Override
  public IdleCost run(int seconds) throws Exception {
    FlowClient client = new HttpFlowClient(bed.url(), null);
    List<Worker> idle = new ArrayList<>();
    try (Connection connection = bed.connect()) {
      for (int i = 0; i < workers; i++) {
        idle.add(
            Worker.builder()
                .client(client)
                .handler(TYPE, Workload.STAGE, context -> StageResult.done())
                .build());
      }
      idle.forEach(Worker::start);
      TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
      return measure(connection, seconds);
    } finally {
      closeTogether(idle);
    }
  }

  private IdleCost measure(Connection connection, int seconds)
      throws SQLException, InterruptedException {
    CpuMeter meter = bed.cpuMeter();
    CpuReading before = meter.get();
    long questionsBefore = questions(connection);
    TimeUnit.SECONDS.sleep(seconds);
    // The second look at the counter is a statement of ours.
    long questions = questions(connection) - questionsBefore - 1;
    CpuReading after = meter.get();
    double elapsed = (after.nanos() - before.nanos()) / 1e9;
    return new IdleCost(questions / elapsed, CpuUse.between(before, after).ownCores(elapsed));
  }

  private static long questions(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    }
  }

  private static void closeTogether(List<Worker> idle) throws InterruptedException {
    ExecutorService closing = Executors.newCachedThreadPool();
    try {
      closing.invokeAll(idle.stream().map(worker -> (Callable<Void>) () -> close(worker)).toList());
    } finally {
      closing.shutdown();
    }
  }

  private static Void close(Worker worker) {
    worker.close();
    return null;
  }
}
