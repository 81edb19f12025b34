package io.asyncflow.worker.engine;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;

/** One task of a message to the engine, to be told once what became of it. */
interface EngineTask {

  StageContext context();

  void complete(StageResult result);

  void fail(Exception reason);
}
