package io.asyncflow.worker;

/**
 * Runs one stage of a task.
 *
 * <p>One instance serves many tasks at the same time, so it must be thread-safe. It may be run
 * twice for the same stage (a worker that died after the work and before the report): make outside
 * effects repeatable with {@link StageContext#idempotencyKey()}. It is interrupted when the attempt
 * has lasted too long, the task was cancelled, or the lease was lost; let the {@link
 * InterruptedException} pass.
 */
@FunctionalInterface
public interface StageHandler {

  /**
   * Runs the stage.
   *
   * @param context the task, its data and what is left of its time; valid for this run only
   * @return what follows; never {@code null}
   * @throws NonRetryableException if trying again cannot help: the task fails for good
   * @throws Exception anything else: the attempt failed and is tried again as the type's
   *     configuration says
   */
  StageResult handle(StageContext context) throws Exception;
}
