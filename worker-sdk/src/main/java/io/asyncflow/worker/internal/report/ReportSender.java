package io.asyncflow.worker.internal.report;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreKey;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.spool.ObjectSpool;
import io.asyncflow.worker.internal.spool.Spool;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends reports until each is settled.
 *
 * <p>Batches form by themselves: a turn sends all that arrived while the turn before was under way,
 * so a lone report waits for nothing and many share one commit. What has arrived when a poller asks
 * for more may go with that hold. A report that got no answer is kept in the spool and repeated
 * with its id until flowsvr says what becomes of it, through an outage however long, a restart of
 * the server, and one of the worker.
 *
 * <p>What a report names is stored before it goes out, by a {@linkplain #storeOnce loop beside this
 * one}, one report after another: an upload takes as long as its line wants, and all that waits for
 * none goes past it.
 */
public final class ReportSender implements Loop.Step {

  /** The most that the contract takes in one request. */
  static final int MOST_REPORTS = 1000;

  /** The most that go with a hold, which waits for them: flowsvr writes as many at once. */
  static final int MOST_PIGGYBACKED = 100;

  /** For a report with which the server fails, while everything else works. */
  static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

  private static final Logger log = LoggerFactory.getLogger(ReportSender.class);

  /**
   * What waits for one of the loops.
   *
   * @param wakeUp wakes the loop
   */
  private record Outbox(ReportQueue queue, WakeUp wakeUp, OutageLog outage) {

    void add(PendingReport pending) {
      queue.add(pending);
      wakeUp.signal();
    }

    void hurry() {
      queue.hurry();
      wakeUp.signal();
    }
  }

  private final FlowClient client;
  private final LargeTexts texts;
  private final HeldRuns held;
  private final ReportWriter writer;
  private final Spool spool;
  private final Ticker ticker;
  private final Backoff backoff;
  private final Link link;
  private final Outbox toSend;
  private final Outbox toStore;
  private final List<Runnable> caughtUp = new CopyOnWriteArrayList<>();
  private volatile boolean serverKnowsPiggybacking = true;
  private volatile boolean anyoneIsToldBehind;

  /**
   * @param wakeUp wakes the loop that sends
   * @param storeWakeUp wakes the one that stores what reports name
   */
  public ReportSender(
      FlowClient client,
      HeldRuns held,
      ReportWriter writer,
      Spool spool,
      Ticker ticker,
      WakeUp wakeUp,
      WakeUp storeWakeUp,
      Backoff backoff,
      Link link) {
    this.client = client;
    this.texts = new LargeTexts(client);
    this.held = held;
    this.writer = writer;
    this.spool = spool;
    this.ticker = ticker;
    this.backoff = backoff;
    this.link = link;
    this.toSend = new Outbox(new ReportQueue(), wakeUp, new OutageLog(log, "reports", link));
    this.toStore =
        new Outbox(new ReportQueue(), storeWakeUp, new OutageLog(log, "what reports name", link));
    link.whenMended(this::hurry);
  }

  /**
   * Sends it soon, and does not wait for that. The run is in REPORTING.
   *
   * <p>What is too large for a row goes into the store first, by the thread that made it, so that
   * many do so side by side. Where that fails it is kept as it is, and tried again.
   */
  void submit(Run run, Report report) {
    submit(PendingReport.fresh(new ReportOrigin.OfRun(run, held), movedIfPossible(run, report)));
  }

  private Report movedIfPossible(Run run, Report report) {
    try {
      return texts.moved(report, run.task().taskStage());
    } catch (RuntimeException e) {
      log.debug("{}: its text could not be stored; it is tried again", run, e);
      return report;
    }
  }

  private void submit(PendingReport pending) {
    (needsStore(pending.report()) ? toStore : toSend).add(pending);
  }

  private boolean needsStore(Report report) {
    return LargeTexts.isLarge(report) || spool.objects().hasThoseOf(report);
  }

  /** Takes over what processes that have ended left behind, and delivers it. */
  public void adopt() {
    List<Report> leftBehind = spool.adopt();
    // Now there is every object that they name: whoever had kept it has ended.
    spool.objects().look();
    deliver(leftBehind);
  }

  /** Sends what an earlier process has left behind, before anything new is begun. */
  public void deliver(List<Report> leftBehind) {
    leftBehind.forEach(report -> submit(PendingReport.leftBehind(report)));
  }

  /** Delivers objects of runs that have ended without a report that names them. */
  public void deliverLeftObjects() {
    if (spool.objects().hasAny()) {
      spool.objects().deliverAll(this::isLeft, client.store());
    }
  }

  private boolean isLeft(StoreKey key) {
    return held.find(key.taskId(), key.epoch()) == null
        && toStore.queue().unsettled().stream()
            .noneMatch(pending -> ObjectSpool.isOf(key, pending.report()));
  }

  /**
   * Whether work is finished that flowsvr cannot be told of because the link is cut, or the spool
   * is full. When the link is back the leases of that work may be over: whoever asked for tasks
   * before he has told what he did would get the same ones, and do them once more.
   *
   * <p>Whoever hears that it is may sleep until it is {@linkplain #whenCaughtUp behind no more}.
   */
  public boolean behind() {
    if (!isBehind()) {
      return false;
    }
    anyoneIsToldBehind = true;
    return isBehind(); // it may have caught up before anyone saw that it must be told
  }

  private boolean isBehind() {
    return toSend.queue().anyStranded() || toStore.queue().anyStranded() || spool.full();
  }

  /** Calls {@code listener} when it is behind no more, after anyone was told that it is. */
  public void whenCaughtUp(Runnable listener) {
    caughtUp.add(listener);
  }

  private void tellIfCaughtUp() {
    if (anyoneIsToldBehind && !isBehind()) {
      anyoneIsToldBehind = false; // first: who is told from now on is called below, or next time
      caughtUp.forEach(Runnable::run);
    }
  }

  /** Whether any report may go with a hold just now. */
  public boolean canPiggyback() {
    return serverKnowsPiggybacking && toSend.queue().anyPiggybackable();
  }

  /** Takes reports that go with a hold; {@link #settlePiggybackedReports} must follow. */
  public List<PendingReport> takePiggybackedReports() {
    return serverKnowsPiggybacking ? toSend.queue().takePiggybackable(MOST_PIGGYBACKED) : List.of();
  }

  /**
   * A hold has taken the reports along. What it did not settle is sent in the usual way, and meets
   * there again whatever was wrong with it.
   *
   * @param outcomes {@code null} if no answer came
   */
  public void settlePiggybackedReports(
      List<PendingReport> piggybacked, List<ReportResult> outcomes) {
    boolean areAnswered = outcomes != null && outcomes.size() == piggybacked.size();
    if (outcomes != null && !areAnswered) {
      serverKnowsPiggybacking = false; // an old one, which has not looked at them
    }
    List<PendingReport> left = new LinkedList<>();
    piggybacked.forEach(pending -> left.add(pending.leftByHold()));
    try {
      Iterator<PendingReport> all = left.iterator();
      for (ReportResult outcome : areAnswered ? outcomes : List.<ReportResult>of()) {
        PendingReport pending = all.next();
        if (outcome.stands()) {
          settled(pending);
          all.remove();
        }
      }
    } finally {
      toSend.queue().isOver(piggybacked, left);
      if (!left.isEmpty()) {
        toSend.wakeUp().signal();
      }
      tellIfCaughtUp();
    }
  }

  private void settled(PendingReport pending) {
    spool.forget(pending.report());
    pending.accepted();
  }

  /**
   * Keeps everything that is not settled, for the next start.
   *
   * @return how many of the runs held need no lease for their report
   */
  public int keepAll() {
    Set<ReportOrigin> kept = new HashSet<>();
    List<PendingReport> unsettled =
        Stream.of(toStore, toSend).flatMap(outbox -> outbox.queue().unsettled().stream()).toList();
    for (PendingReport pending : unsettled) {
      boolean ofRun = pending.origin() instanceof ReportOrigin.OfRun;
      if (isWorthKeeping(pending.report()) && spool.keep(pending.report()) && ofRun) {
        kept.add(pending.origin());
      }
    }
    return kept.size();
  }

  /** Sends what is due. */
  @Override
  public Duration runOnce() {
    return turn(toSend, MOST_REPORTS, this::send);
  }

  /** Stores what the first report names that is due for it, and lets that be sent. */
  public Duration storeOnce() {
    return turn(toStore, 1, this::store);
  }

  /**
   * @param work done with what is due, and with a list of the same from which it takes what it has
   *     settled or put elsewhere
   */
  private Duration turn(
      Outbox outbox, int atMost, BiConsumer<List<PendingReport>, Deque<PendingReport>> work) {
    List<PendingReport> due = outbox.queue().takeDue(ticker.nanos(), atMost);
    Deque<PendingReport> left = new ArrayDeque<>(due);
    try {
      work.accept(due, left);
    } finally {
      // Even an Error, of a memory that others have used up, must cost no report.
      outbox.queue().isOver(due, left);
      tellIfCaughtUp();
    }
    long next = outbox.queue().nextDue();
    if (next == Long.MAX_VALUE) {
      outbox.outage().withdraw();
      return Loop.UNTIL_WOKEN;
    }
    return ticker.until(next);
  }

  private void hurry() {
    toStore.hurry();
    toSend.hurry();
  }

  /**
   * Stores what they name, and has them sent. A report is on the disk before, as its objects are:
   * an upload may last, and the process may be killed meanwhile.
   *
   * @param left loses each one that is sent, refused, or waits again
   */
  private void store(List<PendingReport> all, Deque<PendingReport> left) {
    for (PendingReport pending : all) {
      spool.keep(pending.report());
      try {
        spool.objects().deliverThoseOf(pending.report(), client.store());
        Report light = texts.moved(pending.report());
        toStore.outage().worked();
        toSend.add(pending.stored(light));
        left.remove(pending);
      } catch (RuntimeException e) {
        if (mayPass(codeOf(e))) {
          later(toStore, List.of(pending), left, e);
        } else {
          toStore.outage().worked(); // it was answered
          refused(pending, codeOf(e), String.valueOf(e.getMessage()));
          left.remove(pending);
        }
      }
    }
  }

  /**
   * Sends them in one request; what is refused as a whole, or is too large for a slow line, is sent
   * again in halves.
   *
   * @param left loses each one that is settled, or waits again
   */
  private void send(List<PendingReport> all, Deque<PendingReport> left) {
    Deque<List<PendingReport>> batches = new ArrayDeque<>();
    if (!all.isEmpty()) {
      batches.add(all);
    }
    while (!batches.isEmpty()) {
      List<PendingReport> batch = batches.removeFirst();
      try {
        List<ReportResult> results =
            client.report(batch.stream().map(PendingReport::report).toList());
        toSend.outage().worked();
        settle(batch, results, left);
      } catch (RuntimeException e) {
        boolean mayPassInHalves = codeOf(e) == ErrorCode.BODY_TOO_SLOW && batch.size() > 1;
        if (mayPass(codeOf(e)) && !mayPassInHalves) {
          batches.addFirst(batch);
          batches.forEach(unsent -> later(toSend, unsent, left, e));
          return;
        }
        if (batch.size() == 1) {
          refused(batch.get(0), codeOf(e), String.valueOf(e.getMessage()));
          left.remove(batch.get(0));
        } else {
          int half = batch.size() / 2;
          batches.addFirst(batch.subList(half, batch.size()));
          batches.addFirst(batch.subList(0, half));
        }
      }
    }
  }

  private void settle(
      List<PendingReport> batch, List<ReportResult> results, Deque<PendingReport> left) {
    if (results.size() != batch.size()) {
      throw new FlowUnreachableException(
          batch.size() + " reports got " + results.size() + " answers", null);
    }
    for (int i = 0; i < batch.size(); i++) {
      PendingReport pending = batch.get(i);
      ReportResult result = results.get(i);
      if (result.stands()) {
        settled(pending);
      } else {
        refused(pending, ErrorCode.of(result.code(), 0), OneLine.of(result.msg()));
      }
      left.remove(pending);
    }
  }

  /** One report was refused. What that means depends on why, and on what it said. */
  private void refused(PendingReport pending, ErrorCode code, String why) {
    if (mayPass(code)) {
      if (pending.failures() == 0) {
        log.warn("{}: its report is refused ({}); it is repeated", pending.origin(), why);
      }
      repeat(toSend, pending, true);
      return;
    }
    ReportOrigin origin = pending.origin();
    Report report = pending.report();
    switch (code) {
      case LEASE_LOST, TRANSITION_NOT_ALLOWED -> {
        log.warn("{}: its report {} does not count: {}", origin, report.outcome(), why);
        spool.forget(report);
        pending.refused();
      }
      case NO_SUCH_TASK, NO_SUCH_TASK_TYPE -> {
        // Of another server's task, if it was kept for long.
        log.warn("{}: its report {} finds no task: {}", origin, report.outcome(), why);
        spool.setAside(report);
        pending.refused();
      }
      default -> {
        if (report.outcome() == Outcome.FAIL) {
          log.error("{}: even its FAIL is refused ({}); its lease is left to run out", origin, why);
          spool.setAside(report);
          pending.refused();
        } else {
          log.warn(
              "{}: its report {} is refused ({}); it is reported as FAIL",
              origin,
              report.outcome(),
              why);
          spool.forget(report);
          submit(pending.replaced(writer.failInstead(report, explanation(report, code, why))));
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
    String text = LargeTexts.textOf(report);
    long bytes = text == null ? 0 : LargeTexts.bytesOf(text);
    return what + " (it has " + bytes + " bytes; large data belongs elsewhere, and its name here)";
  }

  /** No answer, or one that may be another next time. */
  private void later(
      Outbox outbox, List<PendingReport> batch, Deque<PendingReport> left, RuntimeException why) {
    ErrorCode code = codeOf(why);
    String message = String.valueOf(why.getMessage());
    outbox.outage().failed(code.name(), message, "kept, and repeated until they are taken");
    boolean alone = isAlone(code, outbox.outage());
    for (PendingReport pending : batch) {
      repeat(outbox, pending, alone);
      left.remove(pending);
    }
  }

  /** A wrong key or a limit meets everything else too, and so does an outage, soon. */
  private boolean isAlone(ErrorCode code, OutageLog outage) {
    return switch (code) {
      case INTERNAL -> true;
      case UNAVAILABLE -> link.isCutForNobodyBut(outage);
      default -> false;
    };
  }

  /**
   * @param alone whether everything else works, so that it may be the report's fault
   */
  private void repeat(Outbox outbox, PendingReport pending, boolean alone) {
    if (isWorthKeeping(pending.report())) {
      spool.keep(pending.report());
    }
    long now = ticker.nanos();
    Duration wait = backoff.after(pending.failures() + 1);
    PendingReport again = alone ? pending.failed(now, wait) : pending.cutOff(now, wait);
    if (again.failingFor(GIVE_UP_AFTER, now)) {
      log.error("{}: its report {} is given up", pending.origin(), pending.report().outcome());
      spool.setAside(pending.report());
      again.givenUp();
    } else {
      outbox.queue().add(again);
    }
  }

  /** What is given back untouched comes back by itself when its lease is over. */
  private static boolean isWorthKeeping(Report report) {
    return report.outcome() != Outcome.RELEASE;
  }

  private static ErrorCode codeOf(RuntimeException e) {
    return e instanceof FlowException refusal ? refusal.errorCode() : ErrorCode.INTERNAL;
  }

  /**
   * Whether the same report may be taken later: an outage, a limit, a key or a name of the server
   * that is being changed.
   */
  private static boolean mayPass(ErrorCode code) {
    return code.retryable()
        || code == ErrorCode.INTERNAL
        || code == ErrorCode.NOT_AUTHENTICATED
        || code == ErrorCode.NOT_PERMITTED
        || code == ErrorCode.WRONG_HOST;
  }
}
