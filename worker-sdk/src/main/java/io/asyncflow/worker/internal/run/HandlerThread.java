package io.asyncflow.worker.internal.run;

/**
 * The thread that runs a handler for one run or a batch. It is interrupted when all its runs have
 * been stopped.
 */
public final class HandlerThread {

  private final Thread thread;
  private int runs;
  private int activeRuns;
  private int stoppedRuns;
  private boolean interrupted;
  private long interruptedAt;

  private HandlerThread(Thread thread) {
    this.thread = thread;
  }

  /** The calling thread, without a run. */
  public static HandlerThread current() {
    return new HandlerThread(Thread.currentThread());
  }

  /** Adds a run to this thread. */
  synchronized void take() {
    runs++;
    activeRuns++;
  }

  /** A run that was not stopped has ended. The remaining ones may all have been stopped. */
  synchronized void endActive(long now) {
    activeRuns--;
    if (stoppedRuns > 0) {
      interruptIfAllStopped(now);
    }
  }

  /** A stopped run has ended. */
  synchronized void endStopped() {
    stoppedRuns--;
  }

  /**
   * Stops one of its runs.
   *
   * @param again whether this run was stopped before
   */
  synchronized void stop(long now, boolean again) {
    if (!again) {
      activeRuns--;
      stoppedRuns++;
    }
    interruptIfAllStopped(now);
  }

  private void interruptIfAllStopped(long now) {
    if (activeRuns == 0) {
      interrupted = true;
      interruptedAt = now;
      thread.interrupt();
    }
  }

  /**
   * Whether the thread is ending the JVM: a handler that calls {@code System.exit} blocks there
   * until the shutdown hooks have run.
   */
  boolean exitsTheJvm() {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals("java.lang.Shutdown")) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether nothing waits for the handler any more, given that one of its runs has ended: there was
   * only this one, or all others were stopped or have ended, too.
   */
  synchronized boolean isNoLongerAwaited() {
    return interrupted || runs == 1;
  }

  /** Whether it was interrupted at least this long ago. */
  synchronized boolean interruptedFor(long nanos, long now) {
    return interrupted && now - interruptedAt >= nanos;
  }
}
