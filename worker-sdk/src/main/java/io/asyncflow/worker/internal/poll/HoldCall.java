package io.asyncflow.worker.internal.poll;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.report.PendingReport;
import io.asyncflow.worker.internal.report.ReportSender;
import io.asyncflow.worker.internal.run.Lease;
import io.asyncflow.worker.internal.run.TypeLimits;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * The one hold of a type that may be under way.
 *
 * <p>Its id is new for each hold and stays until an answer came, through errors, interrupts and
 * restarts of the server: the tasks that a lost answer named come with the repeat.
 *
 * <p>All methods belong to the poller's thread, except {@link #cut} and {@link #close}.
 */
public final class HoldCall {

  /**
   * @param requestStart leases count from there
   * @param answeredAt when the answer was there
   * @param repeated whether the hold had been asked before, and may have been carried out then
   */
  record Answer(List<Task> tasks, long requestStart, long answeredAt, boolean repeated) {

    /** What this answer says of the lease of one of its tasks. */
    Lease leaseOf(Task task, TypeLimits limits) {
      return repeated
          ? Lease.heldBefore(requestStart, task.leaseMs(), limits)
          : Lease.held(requestStart, task.leaseMs(), limits);
    }

    Duration took() {
      return Duration.ofNanos(answeredAt - requestStart);
    }

    /**
     * Whether it was parked for so long that, counted from the request, little would be left of a
     * lease.
     */
    boolean stale(TypeLimits limits) {
      return tasks.stream().anyMatch(task -> leaseOf(task, limits).stale(answeredAt));
    }
  }

  /** About what it costs to load a model: so long a task waits for a worker that has it loaded. */
  private static final int OTHERS_AFTER_MS = 1_000;

  private final String taskType;
  private final String workerId;
  private final FlowClient client;
  private final ReportSender reports;
  private final Runnable drain;
  private final Ticker ticker;

  private String unansweredId;
  private String lastId;

  private Thread caller;
  private long cuts;
  private boolean cuttable;
  private boolean wasCut;
  private boolean closed;

  /**
   * @param drain called when the server drains this worker; may be called often, and must not
   *     throw: the tasks of that answer would be lost
   */
  public HoldCall(
      String taskType,
      String workerId,
      FlowClient client,
      ReportSender reports,
      Runnable drain,
      Ticker ticker) {
    this.taskType = taskType;
    this.workerId = workerId;
    this.client = client;
    this.reports = reports;
    this.drain = drain;
    this.ticker = ticker;
  }

  /** Whether an answer is missing; the next call repeats that hold. */
  boolean unanswered() {
    return unansweredId != null;
  }

  /** Holds, or repeats the hold whose answer is missing. */
  Answer hold(HoldScope scope, Duration wait) {
    enter(false, false);
    return call(scope, wait);
  }

  /** Whether there are reports that {@link #holdAndReport} would take along. */
  boolean canPiggyback() {
    return reports.canPiggyback();
  }

  /** Holds without a wait, and takes along the reports that {@link #canPiggyback go with it}. */
  Answer holdAndReport(HoldScope scope) {
    enter(false, false);
    return call(scope, Duration.ZERO, true);
  }

  /**
   * As {@link #hold}, but {@link #cut} may end it, also one that came before the call.
   *
   * @param cutsSeen {@link #cuts} as it was before {@code scope} was made up
   */
  Answer holdUnlessCut(HoldScope scope, Duration wait, long cutsSeen) {
    enter(true, false);
    synchronized (this) {
      if (cuts != cutsSeen) {
        wasCut = true;
        caller = null;
        throw new FlowUnreachableException("there is more to ask for by now", null);
      }
    }
    return call(scope, wait);
  }

  /** How often {@link #cut} was called. */
  synchronized long cuts() {
    return cuts;
  }

  /** Asks once more what the last answered hold got, for a lease that is told afresh. */
  Answer lookAgain(HoldScope scope) {
    unansweredId = lastId;
    return hold(scope, Duration.ZERO);
  }

  /** Asks what the missing answer named, even after {@link #close}. */
  Answer recall(HoldScope scope) {
    enter(false, true);
    return call(scope, Duration.ZERO);
  }

  /** Whether the call that failed last was ended by {@link #cut}. */
  synchronized boolean wasCut() {
    return wasCut;
  }

  /** Ends a call under way, if it lets itself be cut; its answer is then missing. */
  synchronized void cut() {
    cuts++;
    if (caller != null && cuttable && !wasCut) {
      wasCut = true;
      caller.interrupt();
    }
  }

  /** Ends a call under way and lets no other begin but a recall. */
  synchronized void close() {
    closed = true;
    if (caller != null) {
      caller.interrupt();
    }
  }

  private Answer call(HoldScope scope, Duration wait) {
    return call(scope, wait, false);
  }

  private Answer call(HoldScope scope, Duration wait, boolean withReports) {
    boolean repeated = unansweredId != null;
    String holdId = repeated ? unansweredId : UUID.randomUUID().toString();
    unansweredId = holdId;
    long start = ticker.nanos();
    try {
      HoldRequest request = request(scope, wait, holdId);
      HoldAnswer told = withReports ? holdWithReports(request) : client.hold(request);
      Answer answer = new Answer(told.tasks(), start, ticker.nanos(), repeated);
      unansweredId = null;
      lastId = holdId;
      if (told.drain()) {
        drain.run();
      }
      return answer;
    } catch (FlowException e) {
      if (!mayHaveHeld(e)) {
        unansweredId = null;
      }
      throw e;
    } finally {
      leave();
    }
  }

  private HoldAnswer holdWithReports(HoldRequest request) {
    List<PendingReport> piggybacked = reports.takePiggybackedReports();
    if (piggybacked.isEmpty()) {
      return client.hold(request);
    }
    List<ReportResult> outcomes = null;
    try {
      HoldAnswer answer =
          client.hold(request, piggybacked.stream().map(PendingReport::report).toList());
      outcomes = answer.outcomes();
      return answer;
    } finally {
      reports.settlePiggybackedReports(piggybacked, outcomes);
    }
  }

  private HoldRequest request(HoldScope scope, Duration wait, String holdId) {
    int waitMs = Math.toIntExact(wait.toMillis());
    return new HoldRequest(
        taskType,
        scope.limit(),
        workerId,
        waitMs,
        holdId,
        scope.stages(),
        scope.defers() ? scope.preferred() : null,
        scope.defers() ? OTHERS_AFTER_MS : null);
  }

  private static boolean mayHaveHeld(FlowException e) {
    return e.retryable() || e.errorCode() == ErrorCode.INTERNAL;
  }

  private synchronized void enter(boolean mayBeCut, boolean evenIfClosed) {
    if (closed && !evenIfClosed) {
      throw new FlowUnreachableException("the worker stops", null);
    }
    caller = Thread.currentThread();
    cuttable = mayBeCut;
    wasCut = false;
  }

  private void leave() {
    synchronized (this) {
      caller = null;
    }
    // An interrupt that came with the answer must not end the next call.
    Thread.interrupted();
  }
}
