package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Always more tasks than the workers can do, so that what is done in a second is what the cluster
 * can do; whatever breaks meanwhile.
 */
final class Load implements AutoCloseable {

  private static final int PIECE = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Scenario scenario;
  private final FlowClient client;
  private final CompletableFuture<Void> creating;
  private volatile boolean closed;

  private Load(Scenario scenario, FlowClient client) {
    this.scenario = scenario;
    this.client = client;
    this.creating = new CompletableFuture<>();
  }

  static Load on(Scenario scenario, FlowClient client) {
    Load load = new Load(scenario, client);
    Thread thread = new Thread(() -> load.creating.completeAsync(load::create, Runnable::run));
    thread.setDaemon(true);
    thread.start();
    return load;
  }

  private Void create() {
    while (!closed) {
      await()
          .forever()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions() // the database may be down
          .until(() -> closed || scenario.count("status = 1") < 2 * PIECE);
      if (!closed) {
        scenario.create(client, PIECE, Script.smooth());
      }
    }
    return null;
  }

  /** Returns when so many more tasks are done. */
  void awaitDone(int tasks) {
    int before = done();
    await().atMost(PATIENCE).until(() -> done() - before >= tasks);
  }

  /** How many tasks are done a second, taken over some time. */
  double perSecond(Duration time) {
    int before = done();
    Stopwatch watch = Stopwatch.start();
    Window.pass(time);
    return (done() - before) / seconds(watch.elapsed());
  }

  private int done() {
    return scenario.count("status = 4");
  }

  /**
   * Waits until as many tasks a second are done as wanted.
   *
   * @return the time until the two seconds began in which they were
   */
  Duration untilPerSecond(double wanted, Duration patience) {
    Stopwatch watch = Stopwatch.start();
    while (true) {
      Duration begin = watch.elapsed();
      if (perSecond(Duration.ofSeconds(2)) >= wanted) {
        return begin;
      }
      if (begin.compareTo(patience) > 0) {
        throw new AssertionError("not yet " + wanted + " tasks/s after " + begin);
      }
    }
  }

  /** Creates nothing more; returns when the last create was acknowledged. */
  @Override
  public void close() {
    closed = true;
    creating.join();
  }
}
