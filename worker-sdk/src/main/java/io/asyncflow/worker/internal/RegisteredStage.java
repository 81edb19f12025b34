package io.asyncflow.worker.internal;

import io.asyncflow.worker.StageHandler;

/**
 * A stage that this worker can run.
 *
 * @param wantsSlot whether a run of it takes a slot
 */
record RegisteredStage(String stage, StageHandler handler, boolean wantsSlot) {}
