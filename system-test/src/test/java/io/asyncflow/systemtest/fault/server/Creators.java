package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.FailoverFlowClient;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Clients that create tasks of one stage, 2,000 a second or as many as the machine can. They begin
 * with a server each, and go to the next one when that is dead.
 */
final class Creators implements AutoCloseable {

  /** Tasks of a call. */
  private static final int PIECE = 10;

  private static final int CLIENTS = 4;
  private static final int TASKS_A_SECOND = 2_000;
  private static final long NANOS_A_CALL = 1_000_000_000L * PIECE * CLIENTS / TASKS_A_SECOND;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Scenario scenario;
  private final List<FlowClient> servers;
  private final Semaphore calls = new Semaphore(0);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
  private final CompletableFuture<?> failure;
  private volatile List<FlowClient> clients = List.of();
  private int allowed;
  private Duration busy = Duration.ZERO;

  /**
   * @param servers a client of each
   */
  Creators(Scenario scenario, List<FlowClient> servers) {
    this.scenario = scenario;
    this.servers = servers;
    this.failure =
        CompletableFuture.anyOf(
            Stream.generate(() -> CompletableFuture.runAsync(this::create, threads))
                .limit(CLIENTS)
                .toArray(CompletableFuture[]::new));
  }

  private void create() {
    long due = System.nanoTime();
    try {
      while (true) {
        calls.acquire();
        due = Math.max(due + NANOS_A_CALL, System.nanoTime());
        createPiece(begun.getAndIncrement());
        done.incrementAndGet();
        LockSupport.parkNanos(due - System.nanoTime()); // if it returns early, so be it
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void createPiece(int number) {
    List<NewTask> piece =
        IntStream.range(0, PIECE).mapToObj(i -> scenario.newTask(Script.smooth(), "c")).toList();
    scenario.create(clients.get(number % CLIENTS), piece);
  }

  /**
   * Has more tasks created, while the caller does something else until they are.
   *
   * @param tasks a multiple of ten
   */
  void create(int tasks, Runnable meanwhile) {
    clients = IntStream.range(0, CLIENTS).mapToObj(this::beginningWithServer).toList();
    allowed += tasks / PIECE;
    Stopwatch watch = Stopwatch.start();
    calls.release(tasks / PIECE);
    CompletableFuture<Duration> took =
        CompletableFuture.supplyAsync(() -> awaitAll(watch), work -> new Thread(work).start());
    meanwhile.run();
    busy = busy.plus(took.join());
  }

  private FlowClient beginningWithServer(int number) {
    List<FlowClient> inTurn = new ArrayList<>(servers);
    Collections.rotate(inTurn, number);
    return FailoverFlowClient.of(inTurn);
  }

  private Duration awaitAll(Stopwatch watch) {
    await("all is created")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> done.get() == allowed || failure.isDone());
    if (failure.isDone()) {
      failure.join();
    }
    return watch.elapsed();
  }

  int created() {
    return done.get() * PIECE;
  }

  /** Tasks a second, while there was anything to create. */
  double perSecond() {
    return created() / seconds(busy);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
