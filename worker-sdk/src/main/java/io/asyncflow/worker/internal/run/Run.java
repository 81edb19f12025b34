package io.asyncflow.worker.internal.run;

import io.asyncflow.api.Task;
import io.asyncflow.worker.internal.loop.TransitionTable.Listener;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import io.asyncflow.worker.tracing.RunSpan;
import java.time.Duration;
import java.util.Locale;

/**
 * One hold of one task, from its answer to its settled report.
 *
 * <p>Four threads may want to end it at the same moment (its own, the heartbeats, the deadline
 * watch, the stopping worker). Each change of state names the state it starts from, and the first
 * one wins; the others are told {@code false} and do nothing.
 */
public final class Run {

  /** A handler that still runs this long after its interrupt is stuck. */
  static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  /**
   * One delivery without a report may be any crash; from two in a row on the task may be the cause.
   */
  private static final int POSSIBLE_POISON_DELIVERIES = 2;

  private final Task task;
  private final String taskType;
  private final RegisteredStage stage;
  private final Listener<RunState, RunState.Event> listener;

  /**
   * Written under the monitor; read without it, because queues read the state of all waiting runs.
   */
  private volatile RunState state = RunState.QUEUED;

  private HandlerThread thread;
  private StopCause stopCause;
  private long stoppedAt;
  private volatile long startedAt;
  private volatile boolean isStarted;
  private volatile Lease lease;
  private volatile Integer progress;
  private volatile int localRetries;
  private volatile RunSpan span = RunSpan.NONE;
  private Object batchKey = this;
  private long batchSize;
  private long batchSizeLeft;

  /**
   * @param stage {@code null} if this worker has no handler for the task's stage
   */
  public Run(
      Task task, RegisteredStage stage, Lease lease, Listener<RunState, RunState.Event> listener) {
    this.task = task;
    this.taskType = task.taskType().toLowerCase(Locale.ROOT);
    this.stage = stage;
    this.lease = lease;
    this.listener = listener;
  }

  public Task task() {
    return task;
  }

  public String taskType() {
    return taskType;
  }

  public RegisteredStage stage() {
    return stage;
  }

  /** The number of places on one device that it needs. */
  public int places() {
    return stage.places();
  }

  /**
   * Whether the task may kill its worker: its last holds ended without a report. Another task that
   * ran beside it may have been the cause, too.
   */
  public boolean isPossiblePoison() {
    return isPossiblePoison(task);
  }

  public static boolean isPossiblePoison(Task task) {
    return task.deliveryCount() >= POSSIBLE_POISON_DELIVERIES;
  }

  public Lease lease() {
    return lease;
  }

  public void renew(long requestStart, long remainingMs) {
    lease = lease.renewed(requestStart, remainingMs);
  }

  /** An answer at {@code now} did not renew the lease, although it was due. */
  public void notRenewed(long now) {
    lease = lease.notRenewed(now);
  }

  /** Trusts the lease for so much longer than its end; zero after an outage. */
  public void trustFor(Duration longer) {
    lease = lease.trustedFor(longer);
  }

  public Integer progress() {
    return progress;
  }

  public void progress(int percent) {
    progress = percent;
  }

  /** How often the handler was run again in this hold. */
  public int localRetries() {
    return localRetries;
  }

  /** Counts another run of the handler; only its thread does. */
  public void retryHere() {
    localRetries = localRetries() + 1;
  }

  /** Its span; {@link RunSpan#NONE} if it has not started, or is not traced. */
  public RunSpan span() {
    return span;
  }

  /** Sets its span; only the thread of the handler does, before it. */
  public void traceAs(RunSpan value) {
    span = value;
  }

  public RunState state() {
    return state;
  }

  /** Makes the transition from {@code expected}; {@code false} if the run has left that state. */
  public boolean advance(RunState expected, RunState.Event event) {
    synchronized (this) {
      if (state != expected) {
        return false;
      }
      move(event);
      return true;
    }
  }

  /** The batch key; the run itself if there is none. */
  public Object batchKey() {
    return batchKey;
  }

  public long batchSize() {
    return batchSize;
  }

  /** The maximum sum of the sizes of the other runs in a batch that begins with this one. */
  public long batchSizeLeft() {
    return batchSizeLeft;
  }

  /** Sets the batch data; to be called before the run is queued. */
  public void batch(Object key, long size, long maxSize) {
    batchKey = key;
    batchSize = size;
    batchSizeLeft = maxSize - size;
  }

  /** Its handler begins. */
  public void startsAt(long now) {
    startedAt = now;
    isStarted = true;
  }

  /** How long ago its handler began; {@code null} if it has not. */
  public Duration ranUntil(long now) {
    return isStarted ? Duration.ofNanos(now - startedAt) : null;
  }

  /**
   * Enters the handler.
   *
   * @param current the calling thread, with the runs of its batch before this one
   * @return {@code false} if the run has ended meanwhile
   */
  public synchronized boolean enter(HandlerThread current) {
    if (state != RunState.QUEUED) {
      return false;
    }
    thread = current;
    thread.take();
    move(RunState.Event.STARTED);
    return true;
  }

  /**
   * Leaves the handler. From here on the thread is not interrupted, and a pending interrupt is
   * cleared, so that the next run on this thread does not see it.
   */
  public void leave() {
    synchronized (this) {
      thread = null;
    }
    Thread.interrupted();
  }

  /**
   * Ends this run while the handler may continue with the rest of its batch. The thread is
   * interrupted if all of those were stopped.
   */
  public synchronized void leaveBatch(long now) {
    if (thread == null) {
      return;
    }
    if (stopCause == null) {
      thread.endActive(now);
    } else {
      thread.endStopped();
    }
    thread = null;
  }

  /**
   * Stops the run: interrupts the handler once all runs of its batch were stopped, and lets it end
   * by itself.
   *
   * @return {@code false} if the run was stopped before, or does not run
   */
  public synchronized boolean stop(StopCause cause, long now) {
    if (state != RunState.WORKING || stopCause != null || thread == null) {
      return false;
    }
    interrupt(cause, now);
    return true;
  }

  /**
   * Whether its time is over. The first look after the deadline stops it, whichever thread looks:
   * once a handler can know, its result does not count, even if a renewal moves the deadline.
   */
  public synchronized boolean isTimedOut(long now) {
    if (state == RunState.WORKING && stopCause == null && now >= lease.deadline()) {
      interrupt(StopCause.TIMED_OUT, now);
    }
    return stopCause == StopCause.TIMED_OUT;
  }

  /**
   * Ends the run without a report; a running handler is interrupted. A finished handler's result is
   * still reported: the server decides whether it counts.
   *
   * @return {@code false} if its report is being sent, or it has ended
   */
  public synchronized boolean drop(StopCause cause, RunState.Event event, long now) {
    boolean finished = state == RunState.WORKING && thread == null;
    if (finished || state != RunState.QUEUED && state != RunState.WORKING) {
      return false;
    }
    interrupt(cause, now);
    move(event);
    move(RunState.Event.DROPPED);
    return true;
  }

  private void interrupt(StopCause cause, long now) {
    boolean again = stopCause != null;
    stopCause = cause;
    stoppedAt = now;
    if (thread != null) {
      thread.stop(now, again);
    }
  }

  private void move(RunState.Event event) {
    Transition<RunState, RunState.Event> transition = RunState.TABLE.take(state, event);
    state = transition.to();
    listener.changed(transition);
  }

  /** The cause of the interrupt; {@code null} without one. */
  public synchronized StopCause stopCause() {
    return stopCause;
  }

  public synchronized long stoppedAt() {
    return stoppedAt;
  }

  /** Whether its handler, or that of its batch, has called {@code System.exit}. */
  public boolean exitsTheJvm() {
    HandlerThread current;
    synchronized (this) {
      current = thread;
    }
    return current != null && current.exitsTheJvm();
  }

  /** Whether its handler was interrupted long ago and still runs. */
  public synchronized boolean stuck(long now) {
    return thread != null && thread.interruptedFor(STUCK_AFTER.toNanos(), now);
  }

  /** Whether its handler still runs although the run was stopped or has ended. */
  public synchronized boolean overdue() {
    return thread != null
        && thread.isNoLongerAwaited()
        && state != RunState.QUEUED
        && state != RunState.WORKING;
  }

  @Override
  public String toString() {
    return task.taskId() + " (" + task.taskStage() + ", epoch " + task.leaseEpoch() + ")";
  }
}
