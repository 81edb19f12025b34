package io.asyncflow.bench.work;

import io.asyncflow.bench.bed.RawTable;
import io.asyncflow.bench.contest.Contender;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whole lives by plain JDBC in batches: each of four threads creates 100 tasks in one commit, takes
 * 100, and ends them. Nothing that keeps tasks in this table can be faster, so this is the ceiling.
 */
public final class RawBatchLives implements Contender<Duration> {

  private static final int THREADS = 4;
  private static final int BATCH = 100;

  private final RawTable table;
  private int nextNumber;

  public RawBatchLives(RawTable table) {
    this.table = table;
  }

  @Override
  public String name() {
    return "raw JDBC, batches";
  }

  @Override
  public String conditions() {
    return THREADS + " threads, each: insert " + BATCH + " rows, hold " + BATCH + ", finish them";
  }

  @Override
  public Duration run(int tasks) throws Exception {
    int batches = (tasks + BATCH - 1) / BATCH;
    int before = table.count(4);
    int first = nextNumber;
    nextNumber += tasks;
    AtomicInteger finished = new AtomicInteger();
    Duration took =
        Crowd.share(
            batches, THREADS, () -> new LifeClient(table.connect(), first, tasks, finished));
    int done = table.count(4) - before;
    if (done != tasks) {
      throw new IllegalStateException(done + " of " + tasks + " raw tasks are done");
    }
    return took;
  }

  /** One connection's share of the work. */
  private final class LifeClient implements Crowd.Client {
    private final Connection connection;
    private final int first;
    private final int tasks;
    private final AtomicInteger finished;

    LifeClient(Connection connection, int first, int tasks, AtomicInteger finished) {
      this.connection = connection;
      this.first = first;
      this.tasks = tasks;
      this.finished = finished;
    }

    @Override
    public void act(int batch) throws SQLException {
      int from = batch * BATCH;
      table.insert(connection, first + from, first + Math.min(from + BATCH, tasks));
      connection.commit();
      holdAndFinish();
      boolean last = (batch + 1) * BATCH >= tasks;
      // Somebody's hold may have skipped rows that another one was about to take.
      while (last && finished.get() < tasks && !Thread.currentThread().isInterrupted()) {
        holdAndFinish();
      }
    }

    private void holdAndFinish() throws SQLException {
      List<RawTable.Held> held = table.hold(connection, BATCH);
      connection.commit();
      if (!held.isEmpty()) {
        table.finish(connection, held);
        connection.commit();
        finished.addAndGet(held.size());
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
