package io.asyncflow.worker.internal.stage;

import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;

/**
 * A stage that this worker can run, with one of the two kinds of handlers.
 *
 * @param handler {@code null} if its runs are made in batches
 * @param batches {@code null} if each run is made by itself
 */
public record RegisteredStage(
    String stage, StageHandler handler, Batches batches, StageNeeds needs) {

  public RegisteredStage(String stage, StageHandler handler, StageNeeds needs) {
    this(stage, handler, null, needs);
  }

  public RegisteredStage(String stage, BatchStageHandler handler, StageNeeds needs) {
    this(stage, null, new Batches(handler), needs);
  }

  /** Places on one device that a run of it takes; 0 for none. */
  public int places() {
    return needs.slots();
  }

  /** What a run of it loads on its slot; empty for nothing. */
  public String model() {
    return needs.model();
  }

  /** How many tasks one run of it takes just now. */
  public int tasksOfRun() {
    return batches == null ? 1 : batches.limit();
  }

  /** How many runs so many tasks are, if all of them have the same key. */
  public int runsOf(int tasks) {
    return (tasks + tasksOfRun() - 1) / tasksOfRun();
  }

  Object anyHandler() {
    return batches == null ? handler : batches.handler();
  }
}
