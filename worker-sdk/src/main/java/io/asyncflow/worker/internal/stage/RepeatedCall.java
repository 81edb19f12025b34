package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.FlowException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.WakeUp;
import java.util.function.Supplier;

/** Repeats an idempotent call to the server during a run, as long as the run may continue. */
public final class RepeatedCall {

  private RepeatedCall() {}

  /** Calls until there is an answer. */
  public static <T> T of(StageContext run, Supplier<T> call) throws InterruptedException {
    Backoff backoff = new Backoff(Jitter.random());
    WakeUp nobodyWakes = new WakeUp();
    while (true) {
      try {
        return call.get();
      } catch (FlowException e) {
        if (!e.retryable() || run.cancelled() || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        nobodyWakes.await(backoff.next());
      }
    }
  }

  /**
   * The same for callers that cannot throw {@link InterruptedException}: an interrupt ends the call
   * and its flag stays set.
   */
  public static <T> T uninterrupted(StageContext run, Supplier<T> call) {
    try {
      return of(run, call);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for flowsvr", e);
    }
  }
}
