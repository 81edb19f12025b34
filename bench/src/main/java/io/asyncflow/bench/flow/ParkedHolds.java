package io.asyncflow.bench.flow;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.bench.bed.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One long poll for each of many types at one server, each of another worker and sent again as soon
 * as it is answered. What is held is reported at once.
 */
final class ParkedHolds implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * @param nanos {@link System#nanoTime} when the hold was answered
   */
  record Start(String taskId, long nanos) {}

  private final FlowClient flow;
  private final int waitMs;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<Void>> loops = new ArrayList<>();
  private final BlockingQueue<Start> starts = new LinkedBlockingQueue<>();
  private volatile boolean stopped;

  ParkedHolds(FlowClient flow, List<String> types, Duration wait) {
    this.flow = flow;
    this.waitMs = (int) wait.toMillis();
    types.forEach(type -> loops.add(threads.submit(() -> repeat(type))));
  }

  private Void repeat(String type) {
    HoldRequest request =
        new HoldRequest(type, 1, "bench-" + type, waitMs, null, List.of(Workload.STAGE));
    while (!stopped) {
      List<Task> held = flow.holdTasks(request);
      long now = System.nanoTime();
      for (Task task : held) {
        flow.report(List.of(Workload.success(task)));
        starts.add(new Start(task.taskId(), now));
      }
    }
    return null;
  }

  /**
   * Waits for the next task that is held, and for its report.
   *
   * @throws Exception what ended a poll, or that no task came
   */
  Start next() throws Exception {
    Start start = starts.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    if (start == null) {
      check();
      throw new IllegalStateException(
          "a task was not started within " + PATIENCE.toSeconds() + " s");
    }
    return start;
  }

  /** Throws what a poll failed with. */
  private void check() throws Exception {
    for (Future<Void> loop : loops) {
      if (loop.isDone()) {
        try {
          loop.get();
        } catch (ExecutionException e) {
          throw e.getCause() instanceof Exception cause ? cause : e;
        }
      }
    }
  }

  /**
   * Returns when every poll has been answered. None is interrupted: the server would keep a hold
   * parked whose client is gone, and give it a task.
   */
  @Override
  public void close() throws Exception {
    stopped = true;
    threads.shutdown();
    if (!threads.awaitTermination(waitMs + PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("a long poll is not answered");
    }
    check();
  }
}
