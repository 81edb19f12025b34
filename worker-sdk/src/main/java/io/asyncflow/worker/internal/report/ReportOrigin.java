package io.asyncflow.worker.internal.report;

import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;

/** The origin of a report, which reacts to its settlement. */
interface ReportOrigin {

  /** When the time of its run is over; {@link Long#MAX_VALUE} if that is unknown. */
  long reportBy();

  /** The report was accepted. */
  void accepted();

  /**
   * The report was dropped for good.
   *
   * @param how {@link RunState.Event#REFUSED} or {@link RunState.Event#GIVEN_UP}
   */
  void dropped(RunState.Event how);

  /** The report was refused, and another one that explains why is sent. */
  void explained();

  /** The report of a run of this worker. */
  record OfRun(Run run, HeldRuns held) implements ReportOrigin {

    @Override
    public long reportBy() {
      return run.lease().reportBy();
    }

    @Override
    public void accepted() {
      run.advance(RunState.REPORTING, RunState.Event.ACCEPTED);
      held.settle(run);
    }

    @Override
    public void dropped(RunState.Event how) {
      run.advance(RunState.REPORTING, how);
      run.advance(RunState.ERROR, RunState.Event.DROPPED);
      held.settle(run);
    }

    @Override
    public void explained() {
      run.advance(RunState.REPORTING, RunState.Event.REFUSED);
      run.advance(RunState.ERROR, RunState.Event.EXPLAINED);
    }

    @Override
    public String toString() {
      return run.toString();
    }
  }

  /** The report of a process that has ended; no run waits for it. */
  record Earlier(String taskId, int epoch, String workerId) implements ReportOrigin {

    @Override
    public long reportBy() {
      return Long.MAX_VALUE;
    }

    @Override
    public void accepted() {}

    @Override
    public void dropped(RunState.Event how) {}

    @Override
    public void explained() {}

    @Override
    public String toString() {
      return taskId + " (epoch " + epoch + ", held by " + workerId + ")";
    }
  }
}
