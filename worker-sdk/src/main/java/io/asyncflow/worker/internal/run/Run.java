package io.asyncflow.worker.internal.run;

import io.asyncflow.api.Task;
import io.asyncflow.worker.internal.loop.TransitionTable.Listener;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.stage.RegisteredStage;
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

  /** A handler that has not ended so long after its interrupt heeds none. */
  static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  /** Once is a crash like any other; a task that was there twice in a row may be its cause. */
  private static final int POSSIBLE_POISON_DELIVERIES = 2;

  private final Task task;
  private final String taskType;
  private final RegisteredStage stage;
  private final Listener<RunState, RunState.Event> listener;

  /** Written under the monitor; read without it, as a queue looks through all that wait. */
  private volatile RunState state = RunState.QUEUED;

  private HandlerThread thread;
  private StopCause stopCause;
  private long stoppedAt;
  private volatile Lease lease;
  private volatile Integer progress;
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

  /** Places on one device that it takes. */
  public int places() {
    return stage.places();
  }

  /**
   * Whether it may end the process that runs it: its last workers were never heard of again.
   * Another task that ran beside it may as well have ended them.
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

  public Integer progress() {
    return progress;
  }

  public void progress(int percent) {
    progress = percent;
  }

  public RunState state() {
    return state;
  }

  /** Goes on from {@code expected}; {@code false} if the run is not there any more. */
  public boolean advance(RunState expected, RunState.Event event) {
    synchronized (this) {
      if (state != expected) {
        return false;
      }
      move(event);
      return true;
    }
  }

  /** What it has in common with the others of a batch; itself if that cannot be told. */
  public Object batchKey() {
    return batchKey;
  }

  public long batchSize() {
    return batchSize;
  }

  /** How much the others of a batch that begins with it may sum up to. */
  public long batchSizeLeft() {
    return batchSizeLeft;
  }

  /** Before it is queued. */
  public void batch(Object key, long size, long maxSize) {
    batchKey = key;
    batchSize = size;
    batchSizeLeft = maxSize - size;
  }

  /**
   * Its handler is about to run.
   *
   * @param current the calling thread, with the runs of its batch before this one
   * @return {@code false} if the run was given up meanwhile
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
   * The handler has ended, one way or the other. From here on nobody interrupts this thread, and an
   * interrupt that came before is gone: the next run on this thread must not see it.
   */
  public void leave() {
    synchronized (this) {
      thread = null;
    }
    Thread.interrupted();
  }

  /**
   * It has ended, one way or the other, and the handler may go on with others of its batch. It is
   * interrupted if nobody waits for any of those.
   */
  public synchronized void leaveBatch(long now) {
    if (thread == null) {
      return;
    }
    if (stopCause == null) {
      thread.letGo(now);
    } else {
      thread.letGoGivenUp();
    }
    thread = null;
  }

  /**
   * Interrupts the handler, once no other run of its batch is waited for, and lets it end by
   * itself.
   *
   * @return {@code false} if it was interrupted before, or does not run
   */
  public synchronized boolean stop(StopCause cause, long now) {
    if (state != RunState.WORKING || stopCause != null || thread == null) {
      return false;
    }
    interrupt(cause, now);
    return true;
  }

  /**
   * Ends the run with nothing to report; a handler that runs is interrupted. One that has finished
   * is left to report what it came to: the server decides whether that still counts.
   *
   * @return {@code false} if there is a report on its way, or it is over
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

  /** {@code null} as long as nobody has interrupted it. */
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

  /** Whether its handler was interrupted long ago and runs on. */
  public synchronized boolean stuck(long now) {
    return thread != null && thread.interruptedFor(STUCK_AFTER.toNanos(), now);
  }

  /** Whether its handler still runs although nobody waits for its result any more. */
  public synchronized boolean overdue() {
    return thread != null
        && thread.forNothing()
        && state != RunState.QUEUED
        && state != RunState.WORKING;
  }

  @Override
  public String toString() {
    return task.taskId() + " (" + task.taskStage() + ", epoch " + task.leaseEpoch() + ")";
  }
}
