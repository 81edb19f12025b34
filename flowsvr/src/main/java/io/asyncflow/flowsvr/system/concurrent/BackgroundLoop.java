package io.asyncflow.flowsvr.system.concurrent;

import io.asyncflow.flowsvr.system.Outage;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a job periodically on its own thread, whatever the job throws.
 *
 * <p>The pause has a jitter of a quarter, so that servers that started together do not stay in
 * step. A failure is logged once; after that, only another failure or the recovery is logged. An
 * {@link Outage} is logged in one line, a bug with its stack trace.
 */
public final class BackgroundLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);

  private final String name;
  private final Supplier<Duration> pause;
  private final Runnable job;
  private final ScheduledExecutorService thread;
  private String lastFailure;

  private BackgroundLoop(String name, Supplier<Duration> pause, Runnable job) {
    this.name = name;
    this.pause = pause;
    this.job = job;
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            runnable -> {
              Thread thread = new Thread(runnable, name);
              thread.setDaemon(true);
              return thread;
            });
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.thread = executor;
  }

  /** Starts a loop with a constant pause; the first round runs after one pause. */
  public static BackgroundLoop start(String name, Duration pause, Runnable job) {
    return start(name, () -> pause, job);
  }

  /** Starts a loop that asks for the length of each pause. */
  public static BackgroundLoop start(String name, Supplier<Duration> pause, Runnable job) {
    BackgroundLoop loop = new BackgroundLoop(name, pause, job);
    loop.scheduleNext();
    return loop;
  }

  private void scheduleNext() {
    long ms = pause.get().toMillis();
    long jittered = ms - ms / 8 + ThreadLocalRandom.current().nextLong(ms / 4 + 1);
    if (!thread.isShutdown()) {
      thread.schedule(this::round, jittered, TimeUnit.MILLISECONDS);
    }
  }

  private void round() {
    try {
      job.run();
      if (lastFailure != null) {
        log.info("{} works again", name);
        lastFailure = null;
      }
    } catch (Throwable e) { // an Error must not end the loop
      reportFailure(e);
    } finally {
      scheduleNext();
    }
  }

  private void reportFailure(Throwable e) {
    Optional<Outage> outage = Outage.of(e);
    String failure = outage.map(Outage::kind).orElseGet(e::toString);
    if (failure.equals(lastFailure)) {
      return;
    }
    lastFailure = failure;
    if (outage.isPresent()) {
      log.warn("{} failed and will run again {}: {}", name, inAWhile(), outage.get().line());
    } else {
      log.warn("{} failed and will run again {}", name, inAWhile(), e);
    }
  }

  private String inAWhile() {
    long ms = pause.get().toMillis();
    return "in about " + (ms % 1_000 == 0 ? ms / 1_000 + " s" : ms + " ms");
  }

  /** Ends the loop; waits up to two seconds for a running round. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
