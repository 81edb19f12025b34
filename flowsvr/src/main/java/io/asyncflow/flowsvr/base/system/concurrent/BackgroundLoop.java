package io.asyncflow.flowsvr.base.system.concurrent;

import io.asyncflow.flowsvr.base.system.Outage;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Runs a job periodically on its own thread, whatever the job throws. A component contributes its
 * loop as a bean: it starts when the server is ready, and ends before the component does.
 *
 * <p>Unless the loop is exact, the pause has a jitter of a quarter, so that servers that started
 * together do not stay in step. A failure is logged once; after that, only another failure or the
 * recovery is logged. An {@link Outage} is logged in one line, a bug with its stack trace.
 */
public final class BackgroundLoop
    implements ApplicationListener<ApplicationReadyEvent>, AutoCloseable {

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

  /** A loop with a constant pause; the first round runs one pause after the start. */
  public BackgroundLoop(String name, Duration pause, Runnable job) {
    this(name, () -> pause, job);
  }

  /** A loop that asks for the length of each pause. */
  public BackgroundLoop(String name, Supplier<Duration> pause, Runnable job) {
    this(name, pause, job, false, pool(1, work -> daemon(work, name)));
  }

  private BackgroundLoop(
      String name,
      Supplier<Duration> pause,
      Runnable job,
      boolean isExact,
      ScheduledExecutorService thread) {
    this.name = name;
    this.pause = pause;
    this.job = job;
    this.isExact = isExact;
    this.thread = thread;
  }

  /** The same without jitter, for a loop that knows when there is something to do. */
  public BackgroundLoop exact() {
    return new BackgroundLoop(name, pause, job, true, thread);
  }

  /** The same on threads that it shares with other loops, and that end with the first of them. */
  public BackgroundLoop on(ScheduledExecutorService threads) {
    return new BackgroundLoop(name, pause, job, isExact, threads);
  }

  /** Threads for loops; what waits for its time when they are shut down does not run. */
  public static ScheduledExecutorService pool(int threads, ThreadFactory factory) {
    ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(threads, factory);
    pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return pool;
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Starts a loop that does not wait for the server to be ready. */
  public static BackgroundLoop start(String name, Duration pause, Runnable job) {
    return new BackgroundLoop(name, pause, job).start();
  }

  public BackgroundLoop start() {
    scheduleNext();
    return this;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    scheduleNext();
  }

  /** Ends the pause; a round that runs now, or the start, is followed by another one at once. */
  public synchronized void runSoon() {
    isWantedSoon = true;
    if (!isRunning && awaited > 0) {
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
    if (number != awaited) {
      return false;
    }
    isRunning = true;
    return true;
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
