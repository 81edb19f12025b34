package io.asyncflow.worker;

/**
 * One task of a batch. The handler ends it with one call of {@link #complete} or {@link #fail};
 * further calls have no effect.
 *
 * <p>Thread-safe.
 */
public interface BatchRun {

  /** The task, its data and its remaining time; never {@code null}. */
  StageContext context();

  /** Ends the run with a result, which is reported at once. */
  void complete(StageResult result);

  /** Fails the run, as if a {@link StageHandler} had thrown {@code reason}. */
  void fail(Exception reason);
}
