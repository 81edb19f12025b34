package io.asyncflow.worker.internal.report;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.Report;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.RunEnd;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.loop.OneLineThrowable;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.RunState.Event;
import io.asyncflow.worker.internal.run.StopCause;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs: each way in which a run can end has one method, which sends a report or none.
 *
 * <p>Each method does nothing if the run has already ended in another way.
 */
public final class RunEnds {

  private static final Logger log = LoggerFactory.getLogger(RunEnds.class);

  /**
   * The delay after a lack of resources, so that their present user may end or another worker may
   * take the task.
   */
  private static final Duration RESOURCE_DELAY = Duration.ofSeconds(1);

  private final ResourceFailures resourceFailures = new ResourceFailures();
  private final ReportWriter writer;
  private final ReportSender sender;
  private final HeldRuns held;
  private final Ticker ticker;
  private final List<Consumer<RunEnd>> ended = new CopyOnWriteArrayList<>();

  public RunEnds(ReportWriter writer, ReportSender sender, HeldRuns held, Ticker ticker) {
    this.writer = writer;
    this.sender = sender;
    this.held = held;
    this.ticker = ticker;
  }

  /** Calls {@code listener} at the end of each run that has started or was lost. */
  public void whenEnded(Consumer<RunEnd> listener) {
    ended.add(listener);
  }

  /** What listeners are told, made before the report is queued, which may take long. */
  private RunEnd endOf(Run run, Enum<?> outcome) {
    return new RunEnd(
        run.taskType(),
        run.task().taskStage(),
        outcome.name().toLowerCase(Locale.ROOT),
        run.ranUntil(ticker.nanos()));
  }

  /**
   * Tells the listeners when the run needs them no more: its report is queued, or it is settled. So
   * a listener may even stop the worker.
   */
  private void tell(RunEnd end) {
    ended.forEach(listener -> tell(listener, end));
  }

  /** A listener that fails must not cost the report, or the end of other runs. */
  private static void tell(Consumer<RunEnd> listener, RunEnd end) {
    try {
      listener.accept(end);
    } catch (Throwable thrown) { // errors too
      log.warn("a listener failed; the run ends all the same: {}", OneLine.ofThrowable(thrown));
      log.debug("the reason", OneLineThrowable.of(thrown));
    }
  }

  /** The handler returned. After the deadline its result is ignored. */
  public void returned(Run run, StageResult result) {
    if (run.isTimedOut(ticker.nanos())) {
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
      report = inTraceOf(run, writer.of(run.task(), result));
    } catch (Throwable cannotBeWritten) { // by the user's classes, or by the codec
      threw(run, cannotBeWritten);
      return;
    }
    resourceFailures.forget(run.task());
    if (run.advance(RunState.WORKING, Event.RETURNED)) {
      RunEnd end = endOf(run, report.outcome());
      sender.submit(run, report);
      tell(end);
    }
  }

  /** What the run creates belongs to its span, not beside it. */
  private static Report inTraceOf(Run run, Report report) {
    return report.creates() == null ? report : report.withTraceParent(run.span().traceParent());
  }

  /**
   * The handler threw. If it was interrupted, or the deadline has passed, that decides, not the
   * exception.
   */
  public void threw(Run run, Throwable thrown) {
    if (run.isTimedOut(ticker.nanos())) {
      timedOut(run);
    } else if (run.stopCause() == StopCause.SHUT_DOWN) {
      shutDown(run);
    } else if (thrown instanceof ResourceException && !resourceFailures.record(run.task())) {
      snooze(run, thrown);
    } else {
      Report report = writer.of(run, thrown);
      if (explain(run, Event.THREW, report)) {
        log(run, report, thrown);
      }
    }
  }

  /** The run's batch lacked resources; the run may fit into a smaller batch. */
  public void resourceFailureInBatch(Run run, Throwable thrown) {
    if (!run.isTimedOut(ticker.nanos()) && run.stopCause() == null) {
      snooze(run, thrown);
    } else {
      threw(run, thrown);
    }
  }

  private void snooze(Run run, Throwable thrown) {
    Report report = writer.of(run.task(), StageResult.snooze(RESOURCE_DELAY));
    if (explain(run, Event.THREW, report)) {
      log.warn("{} is snoozed, no attempt is counted: {}", run, OneLine.ofThrowable(thrown));
    }
  }

  /** Logs a failure; an intentional failure without a cause needs no stack trace. */
  private static void log(Run run, Report report, Throwable thrown) {
    Throwable readable = OneLineThrowable.of(thrown);
    if (thrown instanceof NonRetryableException && readable.getCause() == null) {
      log.warn("{} is reported as {}: {}", run, report.outcome(), OneLine.of(report.errMsg()));
    } else {
      log.warn("{} failed and is reported as {}", run, report.outcome(), readable);
    }
  }

  /** The run has reached its deadline. */
  public void timedOut(Run run) {
    String reason = "timed out after " + run.lease().maxProcessingTime().toMillis() + " ms";
    if (explain(run, Event.TIMED_OUT, writer.unexpected(run, reason))) {
      log.warn("{} {} and is reported as RETRY", run, reason);
    }
  }

  /**
   * The handler ends the JVM. This counts as a failed attempt: without one, the task would end one
   * worker after another.
   */
  public void exited(Run run) {
    String reason = "the handler called System.exit";
    if (explain(run, Event.THREW, writer.unexpected(run, reason))) {
      log.error("{} is reported as RETRY: {}, which ends this worker", run, reason);
    }
  }

  /** The run did not end within the grace of a stopping worker. */
  public void shutDown(Run run) {
    if (explain(run, Event.SHUT_DOWN, writer.release(run.task(), true))) {
      log.info("{} is released: the worker stops", run);
    }
  }

  /** This worker has not begun the task, and will not, or not soon enough. */
  public boolean release(Run run, String why) {
    if (!run.advance(RunState.QUEUED, Event.RELEASED)) {
      return false;
    }
    log.info("{} is released: {}", run, why);
    sender.submit(run, writer.release(run.task(), false));
    return true;
  }

  /** Another worker may hold the task. */
  public void lost(Run run, String why) {
    if (run.drop(StopCause.LOST, Event.LOST, ticker.nanos())) {
      log.warn("{} is dropped and not reported: {}", run, why);
      RunEnd end = endOf(run, Event.LOST);
      held.settle(run);
      tell(end);
    }
  }

  /** An operator cancelled the task. */
  public void cancelled(Run run) {
    if (run.drop(StopCause.CANCELLED, Event.CANCELLED, ticker.nanos())) {
      log.info("{} was cancelled; it is dropped and not reported", run);
      RunEnd end = endOf(run, Event.CANCELLED);
      held.settle(run);
      tell(end);
    }
  }

  private boolean explain(Run run, Event event, Report report) {
    if (!run.advance(RunState.WORKING, event)) {
      return false;
    }
    run.advance(RunState.ERROR, Event.EXPLAINED);
    RunEnd end = endOf(run, event == Event.TIMED_OUT ? event : report.outcome());
    sender.submit(run, report);
    tell(end);
    return true;
  }
}
