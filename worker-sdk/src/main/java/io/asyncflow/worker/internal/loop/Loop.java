package io.asyncflow.worker.internal.loop;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does a step again and again on a thread of its own: the step says how long to wait, a wake-up
 * cuts the wait short. Nothing that a step throws ends the loop.
 */
public final class Loop {

  /** One turn; knows nothing of threads and waiting, so a test calls it directly. */
  @FunctionalInterface
  public interface Step {

    /** Does what is due and says when to come back at the latest; {@link #END} to end. */
    Duration runOnce();
  }

  /** Wait for a wake-up alone. */
  public static final Duration UNTIL_WOKEN = Duration.ofSeconds(Long.MAX_VALUE);

  /** The last turn is done. */
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

  /** Lets the turn that is under way end, and does no other. */
  public void stop() {
    stopped = true;
    wakeUp.signal();
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
        // Nobody ends a loop by interrupting it; a stray interrupt only wakes it.
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

  /** With its stack once, however often it comes in a row. */
  private void log(Throwable t) {
    String name = thread.getName();
    if (t.toString().equals(failure)) {
      log.debug("{} failed once more", name, t);
      return;
    }
    failure = t.toString();
    long pause = AFTER_A_BUG.toSeconds();
    log.error(
        "{} failed in a way it should not; it tries again every {} s",
        name,
        pause,
        OneLineThrowable.of(t));
  }
}
