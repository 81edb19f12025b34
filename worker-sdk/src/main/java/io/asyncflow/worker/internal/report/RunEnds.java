package io.asyncflow.worker.internal.report;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.Report;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.loop.OneLineThrowable;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.RunState.Event;
import io.asyncflow.worker.internal.run.StopCause;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every way in which a run ends passes here, and each has one meaning: the report that goes out, or
 * none.
 *
 * <p>Each method does nothing if the run has ended another way first.
 */
public final class RunEnds {

  private static final Logger log = LoggerFactory.getLogger(RunEnds.class);

  /** After a lack of memory, so that what holds it now may end, and others may take the task. */
  private static final Duration RESOURCE_DELAY = Duration.ofSeconds(1);

  private final ResourceFailures resourceFailures = new ResourceFailures();
  private final ReportWriter writer;
  private final ReportSender sender;
  private final HeldRuns held;
  private final Ticker ticker;

  public RunEnds(ReportWriter writer, ReportSender sender, HeldRuns held, Ticker ticker) {
    this.writer = writer;
    this.sender = sender;
    this.held = held;
    this.ticker = ticker;
  }

  /** The handler returned. Once it was interrupted at its deadline, its result counts no more. */
  public void returned(Run run, StageResult result) {
    if (run.stopCause() == StopCause.TIMED_OUT) {
      timedOut(run);
      return;
    }
    if (result == null) {
      String reason = "the handler of stage " + run.task().taskStage() + " returned null";
      threw(run, new NonRetryableException(reason));
      return;
    }
    Report report;
    try {
      report = writer.of(run.task(), result);
    } catch (NonRetryableException cannotBeWritten) {
      threw(run, cannotBeWritten);
      return;
    }
    resourceFailures.forget(run.task());
    if (run.advance(RunState.WORKING, Event.RETURNED)) {
      sender.submit(run, report);
    }
  }

  /** The handler threw. If it was interrupted, that is why, whatever it threw. */
  public void threw(Run run, Throwable thrown) {
    StopCause cause = run.stopCause();
    if (cause == StopCause.TIMED_OUT) {
      timedOut(run);
    } else if (cause == StopCause.SHUT_DOWN) {
      shutDown(run);
    } else if (thrown instanceof ResourceException && !resourceFailures.record(run.task())) {
      giveBack(run, thrown);
    } else {
      Report report = writer.of(run.task(), thrown);
      if (explain(run, Event.THREW, report)) {
        log(run, report, thrown);
      }
    }
  }

  /** The batch of which it was one lacked resources; it may well fit into a smaller one. */
  public void resourceFailureInBatch(Run run, Throwable thrown) {
    if (run.stopCause() == null) {
      giveBack(run, thrown);
    } else {
      threw(run, thrown);
    }
  }

  private void giveBack(Run run, Throwable thrown) {
    Report report = writer.of(run.task(), StageResult.snooze(RESOURCE_DELAY));
    if (explain(run, Event.THREW, report)) {
      log.warn("{} is given back, no attempt is counted: {}", run, OneLine.of(thrown.getMessage()));
    }
  }

  /** What a handler says on purpose needs no stack; what caused it may. */
  private static void log(Run run, Report report, Throwable thrown) {
    if (thrown instanceof NonRetryableException && thrown.getCause() == null) {
      log.warn("{} is reported as {}: {}", run, report.outcome(), OneLine.of(report.errMsg()));
    } else {
      log.warn(
          "{} failed and is reported as {}", run, report.outcome(), OneLineThrowable.of(thrown));
    }
  }

  /** Its time is over. */
  public void timedOut(Run run) {
    String reason = "timed out after " + run.lease().maxProcessingTime().toMillis() + " ms";
    if (explain(run, Event.TIMED_OUT, writer.retry(run.task(), reason, null))) {
      log.warn("{} {} and is reported as RETRY", run, reason);
    }
  }

  /**
   * Its handler ends the JVM. That is a failure of the task: given back without an attempt, it
   * would end the next worker, too, and so on for ever.
   */
  public void exited(Run run) {
    String reason = "the handler called System.exit";
    if (explain(run, Event.THREW, writer.retry(run.task(), reason, null))) {
      log.error("{} is reported as RETRY: {}, which ends this worker", run, reason);
    }
  }

  /** It did not end within the grace of a stopping worker. */
  public void shutDown(Run run) {
    if (explain(run, Event.SHUT_DOWN, writer.release(run.task()))) {
      log.info("{} is given back: the worker stops", run);
    }
  }

  /** Nobody here will run it, or not soon enough. */
  public boolean release(Run run, String why) {
    if (!run.advance(RunState.QUEUED, Event.RELEASED)) {
      return false;
    }
    log.info("{} is given back: {}", run, why);
    sender.submit(run, writer.release(run.task()));
    return true;
  }

  /** Somebody else may hold the task. */
  public void lost(Run run, String why) {
    if (run.drop(StopCause.LOST, Event.LOST, ticker.nanos())) {
      log.warn("{} is dropped and not reported: {}", run, why);
      held.settle(run);
    }
  }

  /** An operator cancelled the task. */
  public void cancelled(Run run) {
    if (run.drop(StopCause.CANCELLED, Event.CANCELLED, ticker.nanos())) {
      log.info("{} was cancelled; it is dropped and not reported", run);
      held.settle(run);
    }
  }

  private boolean explain(Run run, Event event, Report report) {
    if (!run.advance(RunState.WORKING, event)) {
      return false;
    }
    run.advance(RunState.ERROR, Event.EXPLAINED);
    sender.submit(run, report);
    return true;
  }
}
