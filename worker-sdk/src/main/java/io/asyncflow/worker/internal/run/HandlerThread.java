package io.asyncflow.worker.internal.run;

/**
 * The thread that runs a handler, for one run or for all of a batch. It is interrupted when nobody
 * waits for any of them any more.
 */
public final class HandlerThread {

  private final Thread thread;
  private int taken;
  private int waitedFor;
  private int givenUp;
  private boolean interrupted;
  private long interruptedAt;

  private HandlerThread(Thread thread) {
    this.thread = thread;
  }

  /** The calling thread, with no run in its hands. */
  public static HandlerThread current() {
    return new HandlerThread(Thread.currentThread());
  }

  /** One run more is in the hands of this thread. */
  synchronized void take() {
    taken++;
    waitedFor++;
  }

  /**
   * One of its runs that was waited for has come to its end. Those that are left may all have been
   * given up.
   */
  synchronized void letGo(long now) {
    waitedFor--;
    if (givenUp > 0) {
      interruptIfForNothing(now);
    }
  }

  /** One of its runs that was given up has come to its end. */
  synchronized void letGoGivenUp() {
    givenUp--;
  }

  /**
   * Nobody waits for one of its runs any more.
   *
   * @param again whether that was said of this run before
   */
  synchronized void stop(long now, boolean again) {
    if (!again) {
      waitedFor--;
      givenUp++;
    }
    interruptIfForNothing(now);
  }

  private void interruptIfForNothing(long now) {
    if (waitedFor == 0) {
      interrupted = true;
      interruptedAt = now;
      thread.interrupt();
    }
  }

  /**
   * Whether it is ending the JVM, as a handler does that calls {@code System.exit}: it waits in
   * there until the shutdown hooks have run.
   */
  boolean exitsTheJvm() {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals("java.lang.Shutdown")) {
        return true;
      }
    }
    return false;
  }

  /** Whether nobody waits for it any more, once one of its runs is over and it goes on. */
  synchronized boolean forNothing() {
    return interrupted || taken == 1;
  }

  /** Whether that was so long ago. */
  synchronized boolean interruptedFor(long nanos, long now) {
    return interrupted && now - interruptedAt >= nanos;
  }
}
