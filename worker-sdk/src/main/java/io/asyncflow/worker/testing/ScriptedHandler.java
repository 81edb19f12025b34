package io.asyncflow.worker.testing;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Executes the task's context as a script, so that each failure is one line of a test.
 *
 * <table>
 *   <caption>Scripts</caption>
 *   <tr><td>{@code OK}</td><td>the task is done; so is a task without a context</td></tr>
 *   <tr><td>{@code ERROR}</td><td>throws</td></tr>
 *   <tr><td>{@code FATAL}</td><td>fails the task for good</td></tr>
 *   <tr><td>{@code HANG}</td><td>waits until it is interrupted</td></tr>
 *   <tr><td>{@code DEAF}</td><td>waits until {@link #letGo} and ignores interrupts</td></tr>
 *   <tr><td>{@code EXIT}</td><td>ends the JVM at once, as a crash would</td></tr>
 *   <tr><td>{@code SNOOZE}</td><td>snoozes for a second</td></tr>
 *   <tr><td>{@code NEXT:stage}</td><td>continues with the stage and the context {@code OK}</td></tr>
 * </table>
 *
 * <p>Thread-safe.
 */
public final class ScriptedHandler implements StageHandler {

  private static final String NEXT = "NEXT:";

  private final List<StageContext> started = new CopyOnWriteArrayList<>();
  private final List<StageContext> interrupted = new CopyOnWriteArrayList<>();
  private final CountDownLatch letGo = new CountDownLatch(1);

  @Override
  public StageResult handle(StageContext context) throws InterruptedException {
    started.add(context);
    wakeWatchers();
    String script = context.rawContext();
    if (script.startsWith(NEXT)) {
      return StageResult.next(script.substring(NEXT.length()), "OK");
    }
    return switch (script) {
      case "", "OK" -> StageResult.done();
      case "ERROR" -> throw new IllegalStateException("the context says ERROR");
      case "FATAL" -> StageResult.fail("the context says FATAL");
      case "HANG" -> hang(context);
      case "DEAF" -> hangDeaf(context);
      case "EXIT" -> exit();
      case "SNOOZE" -> StageResult.snooze(Duration.ofSeconds(1));
      default -> StageResult.fail("no such script: " + script);
    };
  }

  /** All runs so far, in the order of their starts. */
  public List<StageContext> started() {
    return List.copyOf(started);
  }

  /** The runs that were interrupted in {@code HANG}. */
  public List<StageContext> interrupted() {
    return List.copyOf(interrupted);
  }

  /** Ends every {@code DEAF} run, now and later. */
  public void letGo() {
    letGo.countDown();
  }

  /** Waits until this many runs have started; {@code false} after {@code atMost}. */
  public boolean awaitStarted(int count, Duration atMost) throws InterruptedException {
    return await(started, count, atMost);
  }

  /** Waits until this many runs were interrupted; {@code false} after {@code atMost}. */
  public boolean awaitInterrupted(int count, Duration atMost) throws InterruptedException {
    return await(interrupted, count, atMost);
  }

  private StageResult hang(StageContext context) throws InterruptedException {
    try {
      new CountDownLatch(1).await();
      throw new AssertionError("the latch is never counted down");
    } catch (InterruptedException e) {
      interrupted.add(context);
      wakeWatchers();
      throw e;
    }
  }

  private StageResult hangDeaf(StageContext context) {
    while (true) {
      try {
        letGo.await();
        return StageResult.done();
      } catch (InterruptedException e) {
        interrupted.add(context);
        wakeWatchers();
      }
    }
  }

  private static StageResult exit() {
    Runtime.getRuntime().halt(137);
    throw new AssertionError("halted");
  }

  private synchronized void wakeWatchers() {
    notifyAll();
  }

  private synchronized boolean await(List<StageContext> list, int count, Duration atMost)
      throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (list.size() < count) {
      long remaining = (end - System.nanoTime()) / 1_000_000;
      if (remaining <= 0) {
        return false;
      }
      wait(remaining);
    }
    return true;
  }
}
