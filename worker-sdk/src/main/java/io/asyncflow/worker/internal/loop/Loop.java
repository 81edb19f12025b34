package io.asyncflow.worker.internal.loop;

import io.asyncflow.api.OneLine;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a step repeatedly on its own thread. The step returns how long to wait; a wake-up ends the
 * wait early. No exception of a step ends the loop.
 */
public final class Loop {

  /** One turn of a loop, independent of threads and waiting, so tests call it directly. */
  @FunctionalInterface
  public interface Step {

    /**
     * Does the due work; returns the longest wait until the next turn, or {@link #END} to end the
     * loop.
     */
    Duration runOnce();
  }

  /** Wait for a wake-up without a limit. */
  public static final Duration UNTIL_WOKEN = Duration.ofSeconds(Long.MAX_VALUE);

  /** End the loop. */
  public static final Duration END = Duration.ofSeconds(-1);

  private static final Logger log = LoggerFactory.getLogger(Loop.class);
  private static final Duration AFTER_A_BUG = Duration.ofSeconds(1);

  private final Step step;
  private final WakeUp wakeUp;
  private final Thread thread;
  private String failure;
  private volatile boolean stopped;

  public Loop(String name, WakeUp wakeUp, boolean daemon, Step step) {
    this.step = step;
    this.wakeUp = wakeUp;
    this.thread = new Thread(this::turn, name);
    this.thread.setDaemon(daemon);
  }

  public void start() {
    thread.start();
  }

  /** Ends the loop after the current turn. */
  public void stop() {
    stopped = true;
    wakeUp.signal();
  }

  /** Whether its own thread calls this. */
  public boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  private void turn() {
    while (!stopped) {
      Duration wait = survive();
      if (wait.equals(END)) {
        return;
      }
      try {
        if (!stopped && !wait.isZero()) {
          wakeUp.await(wait);
        }
      } catch (InterruptedException e) {
        // An interrupt does not end a loop; it only wakes it.
        log.debug("{} was interrupted while it waited", thread.getName());
      }
    }
  }

  private Duration survive() {
    try {
      Duration wait = step.runOnce();
      failure = null;
      return wait;
    } catch (Throwable t) {
      log(t);
      return AFTER_A_BUG;
    }
  }

  /** Logs a failure with its stack trace only the first time in a row. */
  private void log(Throwable t) {
    String name = thread.getName();
    String text = OneLine.ofThrowable(t);
    if (text.equals(failure)) {
      log.debug("{} failed once more", name, OneLineThrowable.of(t));
      return;
    }
    failure = text;
    long pause = AFTER_A_BUG.toSeconds();
    log.error(
        "{} failed unexpectedly; it tries again every {} s", name, pause, OneLineThrowable.of(t));
  }
}
