package io.asyncflow.worker.internal.stage;

import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;

/**
 * A stage with its handler, single or batch.
 *
 * @param handler {@code null} if the stage has batches
 * @param batches {@code null} if the stage has no batches
 */
public record RegisteredStage(
    String stage, StageHandler handler, Batches batches, StageNeeds needs) {

  public RegisteredStage(String stage, StageHandler handler, StageNeeds needs) {
    this(stage, handler, null, needs);
  }

  public RegisteredStage(String stage, BatchStageHandler handler, StageNeeds needs) {
    this(stage, null, new Batches(handler), needs);
  }

  /** The number of places on one device that a run takes; 0 for none. */
  public int places() {
    return needs.slots();
  }

  /** The model that a run loads on its slot; empty for none. */
  public String model() {
    return needs.model();
  }

  /** How often a run may be repeated in its hold; see {@link StageNeeds#retriedHere}. */
  public int localRetries() {
    return needs.localRetries();
  }

  /**
   * Whether a run may be repeated in its hold. A batch may not, because the tasks that fail
   * together are retried apart; nor may a split, because its hold has sent children already.
   */
  boolean canBeRepeated() {
    return batches == null && !(handler instanceof SplitRun.Handler);
  }

  /** The present maximum of tasks in one run. */
  public int tasksOfRun() {
    return batches == null ? 1 : batches.limit();
  }

  /** The number of runs for this number of tasks with the same key. */
  public int runsOf(int tasks) {
    return (tasks + tasksOfRun() - 1) / tasksOfRun();
  }

  Object anyHandler() {
    return batches == null ? handler : batches.handler();
  }
}
