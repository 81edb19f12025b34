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
import io.asyncflow.worker.internal.run.WorkerStart;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hold call of a type; at most one is open.
 *
 * <p>Each hold has a new id and keeps it until it is answered, through errors, interrupts and
 * restarts of the server: a repeat returns the tasks of a lost answer.
 *
 * <p>All methods belong to the poller's thread, except {@link #cut} and {@link #close}.
 */
public final class HoldCall {

  /**
   * @param requestStart the start of the request, from which leases count
   * @param answeredAt the arrival of the answer
   * @param repeated whether this was a repeat of a hold that may have been executed before
   */
  record Answer(List<Task> tasks, long requestStart, long answeredAt, boolean repeated) {

    /** The lease of one of the answer's tasks. */
    Lease leaseOf(Task task, TypeLimits limits) {
      return repeated
          ? Lease.heldBefore(requestStart, task.leaseMs(), limits)
          : Lease.held(requestStart, task.leaseMs(), limits);
    }

    Duration took() {
      return Duration.ofNanos(answeredAt - requestStart);
    }

    /**
     * Whether the hold was parked so long that little would be left of a lease counted from the
     * request.
     */
    boolean stale(TypeLimits limits) {
      return tasks.stream().anyMatch(task -> leaseOf(task, limits).stale(answeredAt));
    }
  }

  private static final Logger log = LoggerFactory.getLogger(HoldCall.class);

  /** How long a task waits for a worker that has its model loaded: about the time of a load. */
  private static final int OTHERS_AFTER_MS = 1_000;

  private final String taskType;
  private final WorkerStart worker;
  private final FlowClient client;
  private final ReportSender reports;
  private final Consumer<Long> drain;
  private final Ticker ticker;

  private String unansweredId;
  private int minVersionTold;
  private String lastId;

  private Thread caller;
  private long cuts;
  private boolean cuttable;
  private boolean wasCut;
  private boolean closed;

  /**
   * @param drain called when the server drains this worker, with the grace of its runs in ms,
   *     {@code null} for as long as they take; may be called often, and must not throw, or the
   *     tasks of that answer would be lost
   */
  public HoldCall(
      String taskType,
      WorkerStart worker,
      FlowClient client,
      ReportSender reports,
      Consumer<Long> drain,
      Ticker ticker) {
    this.taskType = taskType;
    this.worker = worker;
    this.client = client;
    this.reports = reports;
    this.drain = drain;
    this.ticker = ticker;
  }

  /** Whether the last hold has no answer; the next call repeats it. */
  boolean unanswered() {
    return unansweredId != null;
  }

  /** Holds, or repeats an unanswered hold. */
  Answer hold(HoldScope scope, Duration wait) {
    enter(false, false);
    return call(scope, wait);
  }

  /** Whether there are reports for {@link #holdAndReport}. */
  boolean canPiggyback() {
    return reports.canPiggyback();
  }

  /** Holds without a wait, and sends the reports that {@link #canPiggyback go with it}. */
  Answer holdAndReport(HoldScope scope) {
    enter(false, false);
    return call(scope, Duration.ZERO, true);
  }

  /**
   * As {@link #hold}, but {@link #cut} may end the call, even a cut that came before it.
   *
   * @param cutsSeen the value of {@link #cuts} before {@code scope} was computed
   */
  Answer holdUnlessCut(HoldScope scope, Duration wait, long cutsSeen) {
    enter(true, false);
    synchronized (this) {
      if (cuts != cutsSeen) {
        wasCut = true;
        caller = null;
        throw new FlowUnreachableException("more can be asked for by now", null);
      }
    }
    return call(scope, wait);
  }

  /** The number of calls of {@link #cut}. */
  synchronized long cuts() {
    return cuts;
  }

  /** Repeats the last answered hold, to learn the present leases of its tasks. */
  Answer queryLeases(HoldScope scope) {
    unansweredId = lastId;
    return hold(scope, Duration.ZERO);
  }

  /** Repeats the unanswered hold to learn its tasks, even after {@link #close}. */
  Answer recall(HoldScope scope) {
    enter(false, true);
    return call(scope, Duration.ZERO);
  }

  /** Whether the call that failed last was ended by {@link #cut}. */
  synchronized boolean wasCut() {
    return wasCut;
  }

  /** Ends an open call that may be cut; it is then unanswered. */
  synchronized void cut() {
    cuts++;
    if (caller != null && cuttable && !wasCut) {
      wasCut = true;
      caller.interrupt();
    }
  }

  /** Ends an open call and permits no further call but a recall. */
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
      HoldAnswer received = withReports ? holdWithReports(request) : client.hold(request);
      Answer answer = new Answer(received.tasks(), start, ticker.nanos(), repeated);
      unansweredId = null;
      lastId = holdId;
      if (received.drain()) {
        drain.accept(received.drainGraceMs());
      }
      tellIfTooOld(received.minWorkerVersion());
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

  /** Logs once that the worker is too old, and again if the type then asks for another version. */
  private void tellIfTooOld(Integer minVersion) {
    int now = minVersion == null ? 0 : minVersion;
    if (now != minVersionTold && now > 0) {
      log.warn(
          "type {} needs workers of version {} or later: this one gets no tasks of it until it is"
              + " updated",
          taskType,
          now);
    }
    minVersionTold = now;
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
        worker.workerId(),
        waitMs,
        holdId,
        scope.stages(),
        scope.defers() ? scope.preferred() : null,
        scope.defers() ? OTHERS_AFTER_MS : null,
        worker.startId(),
        worker.version());
  }

  /** By the code: a firewall, whose refusal is not {@code retryable()}, may refuse the answer. */
  private static boolean mayHaveHeld(FlowException e) {
    return e.errorCode().retryable() || e.errorCode() == ErrorCode.INTERNAL;
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
    // An interrupt during this call must not end the next one.
    Thread.interrupted();
  }
}
