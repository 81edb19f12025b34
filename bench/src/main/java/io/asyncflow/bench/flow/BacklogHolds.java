package io.asyncflow.bench.flow;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.bench.bed.Backlog;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Holds of 100 tasks over REST, one after the other. Before each, 100 are created, and after it
 * those that it got are reported: so there are as many rows as before, and what is measured is what
 * a busy server has. Only the hold counts; if it takes several calls to get 100, all of them.
 */
public final class BacklogHolds implements Contender<Histogram> {

  private static final int BATCH = 100;
  private static final String WORKER = "bench";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final TestBed bed;
  private final Backlog backlog;

  public BacklogHolds(TestBed bed, Backlog backlog) {
    this.bed = bed;
    this.backlog = backlog;
  }

  @Override
  public String name() {
    return backlog.what();
  }

  @Override
  public Histogram run(int holds) {
    Histogram latencies = new Histogram(3);
    for (int i = 0; i < holds; i++) {
      latencies.recordValue(holdOnce().toNanos() / 1000);
    }
    return latencies;
  }

  /** Creates 100, holds 100 and reports them. */
  Duration holdOnce() {
    bed.flow().createTasks(Workload.tasks(backlog.type(), 0, BATCH));
    List<Task> held = new ArrayList<>(BATCH);
    long start = System.nanoTime();
    while (held.size() < BATCH) {
      held.addAll(
          bed.flow()
              .holdTasks(
                  new HoldRequest(backlog.type(), BATCH - held.size(), WORKER, null, null, null)));
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new IllegalStateException(
            "only " + held.size() + " of " + BATCH + " due tasks are to be had: " + name());
      }
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    List<ReportResult> results = bed.flow().report(held.stream().map(Workload::success).toList());
    if (!results.stream().allMatch(result -> result.code() == 0)) {
      throw new IllegalStateException("a report was refused: " + results);
    }
    return took;
  }
}
