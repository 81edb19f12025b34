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
 * <p>Unless the loop is exact, the pause has a jitter of a quarter, so that servers that started
 * together do not stay in step. A failure is logged once; after that, only another failure or the
 * recovery is logged. An {@link Outage} is logged in one line, a bug with its stack trace.
 */
public final class BackgroundLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);

  private final String name;
  private final Supplier<Duration> pause;
  private final Runnable job;
  private final ScheduledExecutorService thread;
  private final boolean isExact;
  private String lastFailure;
  private int awaited; // number of the round to come; guarded by this, as is the flag
  private boolean isRunning;
  private boolean isWantedSoon;

  private BackgroundLoop(String name, Supplier<Duration> pause, Runnable job, boolean isExact) {
    this.name = name;
    this.pause = pause;
    this.job = job;
    this.isExact = isExact;
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
    return start(new BackgroundLoop(name, pause, job, false));
  }

  /** The same without jitter, for a loop that knows when there is something to do. */
  public static BackgroundLoop startExact(String name, Supplier<Duration> pause, Runnable job) {
    return start(new BackgroundLoop(name, pause, job, true));
  }

  private static BackgroundLoop start(BackgroundLoop loop) {
    loop.scheduleNext();
    return loop;
  }

  /** Ends the pause; a round that runs now is followed by another one at once. */
  public synchronized void runSoon() {
    isWantedSoon = true;
    if (!isRunning) {
      scheduleNext();
    }
  }

  /** Schedules the next round; one that was scheduled before will not run. */
  private synchronized void scheduleNext() {
    isRunning = false;
    long ms =
        isWantedSoon ? 0 : isExact ? pause.get().toMillis() : jittered(pause.get().toMillis());
    isWantedSoon = false;
    int number = ++awaited;
    if (!thread.isShutdown()) {
      thread.schedule(() -> round(number), ms, TimeUnit.MILLISECONDS);
    }
  }

  private synchronized boolean begins(int number) {
    isRunning = number == awaited;
    return isRunning;
  }

  private static long jittered(long ms) {
    return ms - ms / 8 + ThreadLocalRandom.current().nextLong(ms / 4 + 1);
  }

  private void round(int number) {
    if (!begins(number)) {
      return;
    }
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
