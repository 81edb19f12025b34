package io.asyncflow.worker;

/**
 * One task of a batch, to be told once what became of it; what is said later does nothing.
 *
 * <p>Thread-safe.
 */
public interface BatchRun {

  /** The task, its data and what is left of its time. */
  StageContext context();

  /** What the stage came to; it is reported at once. */
  void complete(StageResult result);

  /** The stage failed for this task, as if a {@link StageHandler} had thrown that. */
  void fail(Exception reason);
}
