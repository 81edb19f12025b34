package io.asyncflow.worker.internal;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.worker.internal.RunState.Event;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends reports until each is settled.
 *
 * <p>Batches form by themselves: a turn sends all that arrived while the turn before was under way,
 * so a lone report waits for nothing and many share one commit. A report that got no answer is
 * repeated with its id, through an outage or a restart of the server, for as long as it may still
 * count.
 */
final class ReportSender implements Loop.Step {

  /** The most that the contract takes in one request. */
  static final int MOST_REPORTS = 1000;

  /** By then every lease is long over, and whoever wanted the task has had it. */
  static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

  private static final Logger log = LoggerFactory.getLogger(ReportSender.class);

  /**
   * A report on its way.
   *
   * @param failures so far; each makes the next wait longer
   */
  private record Pending(Run run, Report report, long since, int failures, long notBefore) {

    Pending again(long moment) {
      return new Pending(run, report, since, failures + 1, moment);
    }
  }

  private final FlowClient client;
  private final HeldRuns held;
  private final ReportWriter writer;
  private final Ticker ticker;
  private final Bell bell;
  private final Backoff backoff;
  private final OutageLog outage;
  private final Deque<Pending> waiting = new ArrayDeque<>();

  ReportSender(
      FlowClient client,
      HeldRuns held,
      ReportWriter writer,
      Ticker ticker,
      Bell bell,
      Backoff backoff,
      Link link) {
    this.client = client;
    this.held = held;
    this.writer = writer;
    this.ticker = ticker;
    this.bell = bell;
    this.backoff = backoff;
    this.outage = new OutageLog(log, "reports", link);
  }

  /** Sends it soon, and does not wait for that. The run is in REPORTING. */
  void submit(Run run, Report report) {
    add(new Pending(run, report, ticker.nanos(), 0, 0));
    bell.ring();
  }

  @Override
  public Duration runOnce() {
    List<Pending> due = takeDue();
    if (!due.isEmpty()) {
      send(due);
    }
    return untilNext();
  }

  private synchronized void add(Pending pending) {
    waiting.addLast(pending);
  }

  private synchronized List<Pending> takeDue() {
    long now = ticker.nanos();
    List<Pending> due = new ArrayList<>();
    Iterator<Pending> all = waiting.iterator();
    while (all.hasNext() && due.size() < MOST_REPORTS) {
      Pending pending = all.next();
      if (pending.notBefore() <= now) {
        due.add(pending);
        all.remove();
      }
    }
    return due;
  }

  private synchronized Duration untilNext() {
    OptionalLong next = waiting.stream().mapToLong(Pending::notBefore).min();
    return next.isPresent() ? ticker.until(next.getAsLong()) : Loop.UNTIL_RUNG;
  }

  /** Sends them in one request; what is refused as a whole is sent again in halves. */
  private void send(List<Pending> all) {
    Deque<List<Pending>> batches = new ArrayDeque<>();
    batches.add(all);
    while (!batches.isEmpty()) {
      List<Pending> batch = batches.removeFirst();
      try {
        List<ReportResult> results = client.report(batch.stream().map(Pending::report).toList());
        outage.worked();
        settle(batch, results);
      } catch (RuntimeException e) {
        if (mayPass(codeOf(e))) {
          batches.addFirst(batch);
          batches.forEach(unsent -> later(unsent, e));
          return;
        }
        if (batch.size() == 1) {
          refused(batch.get(0), codeOf(e), String.valueOf(e.getMessage()));
        } else {
          int half = batch.size() / 2;
          batches.addFirst(batch.subList(half, batch.size()));
          batches.addFirst(batch.subList(0, half));
        }
      }
    }
  }

  private void settle(List<Pending> batch, List<ReportResult> results) {
    if (results.size() != batch.size()) {
      throw new FlowUnreachableException(
          batch.size() + " reports got " + results.size() + " answers", null);
    }
    for (int i = 0; i < batch.size(); i++) {
      Pending pending = batch.get(i);
      ReportResult result = results.get(i);
      if (result.stands()) {
        pending.run().advance(RunState.REPORTING, Event.ACCEPTED);
        held.settle(pending.run());
      } else {
        refused(pending, ErrorCode.of(result.code(), 0), result.msg());
      }
    }
  }

  /** One report was refused. What that means depends on why, and on what it said. */
  private void refused(Pending pending, ErrorCode code, String why) {
    if (mayPass(code)) {
      if (pending.failures() == 0) {
        log.warn("{}: its report is refused ({}); it is repeated", pending.run(), why);
      }
      repeat(pending);
      return;
    }
    Run run = pending.run();
    Outcome outcome = pending.report().outcome();
    run.advance(RunState.REPORTING, Event.REFUSED);
    switch (code) {
      case LEASE_LOST, TRANSITION_NOT_ALLOWED, NO_SUCH_TASK, NO_SUCH_TASK_TYPE -> {
        log.warn("{}: its report {} does not count: {}", run, outcome, why);
        drop(run);
      }
      default -> {
        if (outcome == Outcome.FAIL) {
          log.error("{}: even its FAIL is refused ({}); its lease is left to run out", run, why);
          drop(run);
        } else {
          log.warn("{}: its report {} is refused ({}); it is reported as FAIL", run, outcome, why);
          run.advance(RunState.ERROR, Event.EXPLAINED);
          submit(run, writer.fail(run.task(), explanation(pending.report(), code, why)));
        }
      }
    }
  }

  private static String explanation(Report report, ErrorCode code, String why) {
    String what =
        "the report " + report.outcome() + " was refused with " + code.code() + ": " + why;
    if (code != ErrorCode.TOO_LARGE) {
      return what;
    }
    String text = report.outcome() == Outcome.SUCCESS ? report.result() : report.taskContext();
    int bytes = text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    return what + " (it has " + bytes + " bytes; large data belongs elsewhere, and its name here)";
  }

  private void drop(Run run) {
    run.advance(RunState.ERROR, Event.DROPPED);
    held.settle(run);
  }

  /** No answer, or one that may be another next time. */
  private void later(List<Pending> batch, RuntimeException why) {
    outage.failed(
        codeOf(why).name(),
        String.valueOf(why.getMessage()),
        "repeated for up to " + GIVE_UP_AFTER.toMinutes() + " minutes");
    batch.forEach(this::repeat);
  }

  private void repeat(Pending pending) {
    long now = ticker.nanos();
    if (now - pending.since() < GIVE_UP_AFTER.toNanos()) {
      add(pending.again(now + backoff.after(pending.failures() + 1).toNanos()));
      return;
    }
    Run run = pending.run();
    log.error("{}: its report {} is given up", run, pending.report().outcome());
    run.advance(RunState.REPORTING, Event.GIVEN_UP);
    drop(run);
  }

  private static ErrorCode codeOf(RuntimeException e) {
    return e instanceof FlowException refusal ? refusal.errorCode() : ErrorCode.INTERNAL;
  }

  /**
   * Whether the same report may be taken later: an outage, a limit, a key that is being changed.
   */
  private static boolean mayPass(ErrorCode code) {
    return code.retryable()
        || code == ErrorCode.INTERNAL
        || code == ErrorCode.NOT_AUTHENTICATED
        || code == ErrorCode.NOT_PERMITTED;
  }
}
