package io.asyncflow.worker;

/**
 * Runs one stage of a task.
 *
 * <p>One instance serves many tasks at the same time, so it must be thread-safe. It may run twice
 * for the same stage, for example if the worker dies after the work and before the report: make
 * external effects idempotent with {@link StageContext#idempotencyKey()}. Its thread is interrupted
 * when the attempt exceeds its time, the task is cancelled, or the lease is lost; do not catch the
 * {@link InterruptedException}.
 */
@FunctionalInterface
public interface StageHandler {

  /**
   * Runs the stage.
   *
   * @param context the task, its data and its remaining time; valid for this run only
   * @return the result of the stage; never {@code null}
   * @throws NonRetryableException if a retry cannot help: the task fails for good
   * @throws Exception any other failure: the attempt has failed and is retried according to the
   *     type's configuration
   */
  StageResult handle(StageContext context) throws Exception;
}
