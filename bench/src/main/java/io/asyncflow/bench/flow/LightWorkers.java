package io.asyncflow.bench.flow;

import io.asyncflow.api.Call;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Transport;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.bench.bed.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Workers without threads of their own, so that one process has thousands of them. Each sends what
 * an idle worker of the SDK sends, by the SDK's intervals: a hold, again as soon as it is answered;
 * and about once a minute a heartbeat with its description, and a look at the settings of types.
 */
final class LightWorkers implements AutoCloseable {

  private static final Duration BEATS = Duration.ofMinutes(1);
  private static final Duration SETTINGS = Duration.ofMinutes(1);

  /** Before a call that failed is sent again. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** The parts of an interval, and of a hold's wait, by which the SDK may shorten it. */
  private static final double JITTER = 0.2;

  private static final double WAIT_JITTER = 0.1;

  /** As the SDK's: the server need not read the types anew. */
  private static final long SETTINGS_AGE_MS = 5_000;

  private static final int THREADS = 16;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Duration wait;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final List<CompletableFuture<Void>> polls = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final LongAdder calls = new LongAdder();
  private volatile boolean stopped;

  /**
   * @param wait how long a hold is parked before it is answered and sent again
   */
  LightWorkers(Duration wait) {
    this.wait = wait;
  }

  /**
   * Starts a worker of one type.
   *
   * @param server its only one
   */
  void start(Transport server, String type, String workerId) {
    Call<Void> settings = Call.to("/api/task_schedule_cfg/list").with("maxAgeMs", SETTINGS_AGE_MS);
    String startId = UUID.randomUUID().toString();
    Call<Void> beat =
        Call.to("/api/worker/heartbeat")
            .withBody(new Heartbeat(workerId, List.of(), description(type), startId));
    repeat(server, settings, SETTINGS);
    repeat(server, beat, BEATS);
    CompletableFuture<Void> over = new CompletableFuture<>();
    polls.add(over);
    poll(server, type, workerId, startId, over);
  }

  private static WorkerInfo description(String type) {
    return new WorkerInfo(
        "bench",
        "bench",
        null,
        List.of(type + "/" + Workload.STAGE),
        Map.of(),
        Map.of(type, THREADS),
        Map.of(),
        Map.of("worker", "RUNNING", "health", "HEALTHY", "poller/" + type, "POLLING"),
        null,
        null,
        null,
        null);
  }

  private void repeat(Transport server, Call<Void> call, Duration interval) {
    send(server, call)
        .whenComplete(
            (answer, error) -> {
              if (!stopped && !isFatal(error)) {
                later(() -> repeat(server, call, interval), error == null ? interval : RETRY);
              }
            });
  }

  private void later(Runnable call, Duration interval) {
    try {
      clock.schedule(call, shortened(interval, JITTER), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // it was stopped at this moment
    }
  }

  private void poll(
      Transport server,
      String type,
      String workerId,
      String startId,
      CompletableFuture<Void> over) {
    int waitMs = (int) shortened(wait, WAIT_JITTER);
    HoldRequest hold =
        new HoldRequest(
            type,
            THREADS,
            workerId,
            waitMs,
            UUID.randomUUID().toString(),
            List.of(Workload.STAGE),
            null,
            null,
            startId,
            null);
    send(server, Call.to("/api/task/hold_task").withBody(hold).waiting(Duration.ofMillis(waitMs)))
        .whenComplete(
            (answer, error) -> {
              if (stopped || isFatal(error)) {
                over.complete(null);
              } else if (error == null) {
                poll(server, type, workerId, startId, over);
              } else {
                later(() -> poll(server, type, workerId, startId, over), RETRY);
              }
            });
  }

  private CompletableFuture<Void> send(Transport server, Call<Void> call) {
    calls.increment();
    return server.sendAsync(call);
  }

  /** Whether it is none that the SDK repeats a call after, as a server that starts is slow. */
  private boolean isFatal(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    boolean isFatal = cause != null && !(cause instanceof FlowException e && e.retryable());
    if (isFatal) {
      failure.compareAndSet(null, cause);
    }
    return isFatal;
  }

  /** In ms. */
  private static long shortened(Duration interval, double part) {
    return (long) (interval.toMillis() * (1 - part * ThreadLocalRandom.current().nextDouble()));
  }

  /** How many calls they have sent so far. */
  long calls() {
    return calls.sum();
  }

  /**
   * Throws what a call failed with; its worker sends no more of them.
   *
   * @throws IllegalStateException with the first failure as its cause
   */
  void check() {
    if (failure.get() != null) {
      throw new IllegalStateException("a call of an idle worker failed", failure.get());
    }
  }

  /** Returns when every hold has been answered. */
  @Override
  public void close() throws Exception {
    stopped = true;
    clock.shutdownNow();
    // A hold that failed waited for the clock.
    CompletableFuture.allOf(polls.toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, wait.toMillis() + PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .get();
    check();
  }
}
