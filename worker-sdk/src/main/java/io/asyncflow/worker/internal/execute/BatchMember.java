package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.Run;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** One run of a batch during its handler's call. */
final class BatchMember implements BatchRun {

  private final Run run;
  private final StageContext context;
  private final RunEnds ends;
  private final Ticker ticker;
  private final boolean alone;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean hadResourceFailure;

  /**
   * @param alone whether the run is the only one of its batch
   */
  BatchMember(Run run, StageContext context, RunEnds ends, Ticker ticker, boolean alone) {
    this.run = run;
    this.context = context;
    this.ends = ends;
    this.ticker = ticker;
    this.alone = alone;
  }

  @Override
  public StageContext context() {
    return context;
  }

  @Override
  public void complete(StageResult result) {
    Objects.requireNonNull(result, "result");
    if (ended.compareAndSet(false, true)) {
      run.leaveBatch(ticker.nanos());
      ends.returned(run, result);
      run.span().end(result, null);
    }
  }

  @Override
  public void fail(Exception reason) {
    end(Objects.requireNonNull(reason, "reason"));
  }

  /** The same for any throwable. */
  void end(Throwable reason) {
    if (ended.compareAndSet(false, true)) {
      hadResourceFailure = reason instanceof ResourceException;
      run.leaveBatch(ticker.nanos());
      if (hadResourceFailure && !alone) {
        ends.resourceFailureInBatch(run, reason);
      } else {
        ends.threw(run, reason);
      }
      run.span().end(null, reason);
    }
  }

  boolean hadResourceFailure() {
    return hadResourceFailure;
  }
}
