package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.internal.loop.OneLineThrowable;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.run.Run;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a handler that threw runs again in the same hold, and waits until then. One for
 * all types of a worker. Thread-safe.
 */
public final class LocalRetries {

  private static final Logger log = LoggerFactory.getLogger(LocalRetries.class);

  private final Ticker ticker;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final LongAdder count = new LongAdder();

  public LocalRetries(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Ends all pauses and allows no further retry: the worker stops. */
  public void end() {
    ended.countDown();
  }

  /** The local retries so far. */
  public long count() {
    return count.sum();
  }

  /**
   * Waits for the next run of the handler; returns false, perhaps at once, if there is none.
   *
   * @param run its handler has just thrown on this thread, which it has not left
   */
  boolean await(Run run, Throwable thrown) {
    int most = run.stage().localRetries();
    Duration pause = run.stage().needs().localRetryPause();
    if (run.localRetries() >= most || !mayPass(thrown) || !hasTime(run, pause)) {
      return false;
    }
    log.warn(
        "{} failed and is run again here in {} ms ({} of {})",
        run,
        pause.toMillis(),
        run.localRetries() + 1,
        most,
        OneLineThrowable.of(thrown));
    try {
      if (ended.await(pause.toNanos(), TimeUnit.NANOSECONDS) || !hasTime(run, Duration.ZERO)) {
        return false;
      }
    } catch (InterruptedException e) {
      return false; // the run was stopped; its end says why
    }
    run.retryHere();
    count.increment();
    return true;
  }

  private static boolean mayPass(Throwable thrown) {
    return thrown instanceof Exception
        && !(thrown instanceof NonRetryableException)
        && !(thrown instanceof ResourceException)
        && !(thrown instanceof InterruptedException);
  }

  /** Whether the run may go on after the pause, as far as is known now. */
  private boolean hasTime(Run run, Duration pause) {
    long now = ticker.nanos();
    return run.stopCause() == null
        && now < run.lease().trustedUntil()
        && now + pause.toNanos() < run.lease().deadline();
  }
}
