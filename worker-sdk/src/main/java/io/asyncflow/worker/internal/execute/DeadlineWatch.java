package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.NextTurn;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Lease;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.StopCause;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Enforces the deadlines of all runs by this machine's clock alone, even if the server is silent or
 * a heartbeat hangs. Releases stalled queued runs within two seconds.
 */
public final class DeadlineWatch implements Loop.Step {

  /** How long a handler may take to react to the interrupt of a stopping worker. */
  static final Duration SHUT_DOWN_PATIENCE = Duration.ofMillis(500);

  /** The least pause, so that the loop does not spin while an overdue run ends. */
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);

  /**
   * The longest pause: a renewal may bring a deadline nearer, if the type's lease was shortened,
   * and queued runs may stall meanwhile.
   */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  private final HeldRuns held;
  private final RunEnds ends;
  private final Supplier<List<Run>> stalled;
  private final Ticker ticker;
  private final NextTurn nextTurn;

  /**
   * @param stalled returns the stalled queued runs
   */
  public DeadlineWatch(
      HeldRuns held, RunEnds ends, Supplier<List<Run>> stalled, Ticker ticker, WakeUp wakeUp) {
    this.held = held;
    this.ends = ends;
    this.stalled = stalled;
    this.ticker = ticker;
    this.nextTurn = new NextTurn(wakeUp);
    held.whenAdded(run -> nextTurn.add(nextMoment(run)));
  }

  @Override
  public Duration runOnce() {
    held.all().forEach(this::check);
    stalled.get().forEach(run -> ends.release(run, "nothing here would start it soon"));
    long next = nextTurn.plan(this::earliest);
    if (next == Long.MAX_VALUE) {
      return Loop.UNTIL_WOKEN;
    }
    Duration wait = ticker.until(next);
    if (wait.compareTo(SHORTEST_WAIT) < 0) {
      return SHORTEST_WAIT;
    }
    return wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
  }

  private long earliest() {
    return held.all().stream().mapToLong(this::nextMoment).min().orElse(Long.MAX_VALUE);
  }

  private void check(Run run) {
    if (ticker.nanos() < nextMoment(run)) {
      return;
    }
    switch (run.state()) {
      case QUEUED -> lookAtQueued(run);
      case WORKING -> lookAtWorking(run);
      case REPORTING, ERROR, SETTLED -> {}
    }
  }

  private void lookAtQueued(Run run) {
    long now = ticker.nanos();
    if (now >= run.lease().trustedUntil()) {
      ends.lost(run, "its lease was not renewed in time");
    } else if (now >= run.lease().startBy()) {
      ends.release(run, "it waited too long to start with half of its time");
    }
  }

  private void lookAtWorking(Run run) {
    long now = ticker.nanos();
    Lease lease = run.lease();
    StopCause cause = run.stopCause();
    if (now >= lease.reportBy()) {
      run.stop(StopCause.TIMED_OUT, now); // after a freeze, the handler has not been told yet
      ends.timedOut(run);
    } else if (cause == StopCause.SHUT_DOWN) {
      ends.shutDown(run);
    } else if (now >= lease.deadline()) {
      run.stop(StopCause.TIMED_OUT, now);
    } else if (now >= lease.trustedUntil()) {
      ends.lost(run, "its lease was not renewed in time");
    }
  }

  /** The next moment at which the run needs an action, as known now. */
  private long nextMoment(Run run) {
    Lease lease = run.lease();
    return switch (run.state()) {
      case QUEUED -> Math.min(lease.trustedUntil(), lease.startBy());
      case WORKING -> nextMomentOfWorking(run, lease);
      case REPORTING, ERROR, SETTLED -> Long.MAX_VALUE;
    };
  }

  private static long nextMomentOfWorking(Run run, Lease lease) {
    StopCause cause = run.stopCause();
    if (cause == StopCause.TIMED_OUT) {
      return lease.reportBy();
    }
    if (cause == StopCause.SHUT_DOWN) {
      return Math.min(run.stoppedAt() + SHUT_DOWN_PATIENCE.toNanos(), lease.reportBy());
    }
    return Math.min(lease.deadline(), lease.trustedUntil());
  }
}
