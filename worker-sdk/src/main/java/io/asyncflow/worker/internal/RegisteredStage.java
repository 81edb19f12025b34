package io.asyncflow.worker.internal;

import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;

/** A stage that this worker can run. */
record RegisteredStage(String stage, StageHandler handler, StageNeeds needs) {

  /** Places on one device that a run of it takes; 0 for none. */
  int places() {
    return needs.slots();
  }
}
