package io.asyncflow.bench.system;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that repeat a step until they are closed; the first failure ends them all. */
public final class Loops implements TaskSystem.Runner {

  private static final long STOP_PATIENCE_SECONDS = 60;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /** What one thread does; used by that thread alone. */
  public interface Step extends AutoCloseable {

    /** Does what is there, and pauses or waits if that is nothing. */
    void act() throws Exception;

    @Override
    default void close() throws Exception {}
  }

  /**
   * Starts threads beside those that run.
   *
   * @param opens makes a thread's step, before any of them starts
   */
  public Loops start(int count, Callable<? extends Step> opens) throws Exception {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(opens.call());
    }
    steps.forEach(step -> threads.execute(() -> repeat(step)));
    return this;
  }

  private void repeat(Step step) {
    try (step) {
      while (!stopped) {
        actOrFail(step);
      }
    } catch (Exception e) {
      fail(e);
    }
  }

  /** What ends a step is noted before the step is closed: who sees it closed may ask at once. */
  private void actOrFail(Step step) {
    try {
      step.act();
    } catch (Exception e) {
      fail(e);
    }
  }

  /** Being interrupted by close is how a step that waits learns of it, and no failure. */
  private void fail(Exception e) {
    if (!stopped) {
      failure.compareAndSet(null, e);
      stopped = true;
    }
  }

  @Override
  public void check() throws Exception {
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  @Override
  public void close() throws Exception {
    stopped = true;
    threads.shutdownNow();
    if (!threads.awaitTermination(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("a client of the bench does not stop");
    }
    check();
  }
}
