package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.FlowException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.WakeUp;
import java.util.function.Supplier;

/**
 * A call to the server in the middle of a run, which may be repeated; it is, while the run may go
 * on.
 */
public final class RepeatedCall {

  private RepeatedCall() {}

  /** The answer, as soon as there is one. */
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

  /** The same where no interrupt may be thrown: it ends the call, and the flag stays. */
  public static <T> T uninterrupted(StageContext run, Supplier<T> call) {
    try {
      return of(run, call);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for flowsvr", e);
    }
  }
}
