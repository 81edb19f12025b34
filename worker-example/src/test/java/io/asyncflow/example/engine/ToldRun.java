package io.asyncflow.example.engine;

import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;

/** A task of a batch that keeps what became of it: a {@link StageResult} or an exception. */
final class ToldRun implements BatchRun {

  private final StageContext context;
  private Object end;

  ToldRun(StageContext context) {
    this.context = context;
  }

  @Override
  public StageContext context() {
    return context;
  }

  @Override
  public void complete(StageResult result) {
    end = result;
  }

  @Override
  public void fail(Exception reason) {
    end = reason;
  }

  /** What it was completed with, or the exception it failed with. */
  Object outcome() {
    return end instanceof StageResult.Done done ? done.result() : end;
  }
}
