package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.FlowException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.WakeUp;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats an idempotent call to the server during a run, as long as the run may continue: through
 * an outage, and until a refused key is replaced. A run may continue until its lease or its time
 * ends.
 */
public final class RepeatedCall {

  private static final Logger log = LoggerFactory.getLogger(RepeatedCall.class);

  private RepeatedCall() {}

  /** Calls until there is an answer. */
  public static <T> T of(StageContext run, Supplier<T> call) throws InterruptedException {
    Backoff backoff = new Backoff(Jitter.random());
    WakeUp nobodyWakes = new WakeUp();
    boolean isTold = false;
    while (true) {
      try {
        return call.get();
      } catch (FlowException e) {
        boolean mayPass = e.retryable() || e.errorCode().refusesKey();
        if (!mayPass || run.cancelled() || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (e.errorCode().refusesKey() && !isTold) {
          isTold = true;
          log.warn(
              "task {}: the worker's key is refused ({}); its call waits for another key, as long"
                  + " as the run lasts",
              run.taskId(),
              e.getMessage());
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
