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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends reports until each is settled.
 *
 * <p>Batching is natural: a turn sends all reports that arrived during the previous turn, so a
 * single report never waits and many share one commit. Reports that are waiting when a poller holds
 * may be piggybacked on that hold. A report without an answer is kept in the spool and repeated
 * with its id until flowsvr settles it, through outages of any length and restarts of server and
 * worker.
 *
 * <p>Objects that a report names are stored before it is sent, by a {@linkplain #storeOnce second
 * loop}, one report after another, so that slow uploads do not delay other reports.
 */
public final class ReportSender implements Loop.Step {

  /** The maximum number of reports in one request by the contract. */
  static final int MOST_REPORTS = 1000;

  /**
   * The maximum number of reports on a hold, which waits for them; flowsvr writes as many at once.
   */
  static final int MOST_PIGGYBACKED = 100;

  /** How long a report is repeated that fails while all other calls work. */
  static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

  /**
   * The same for a run whose time is over by the next try; so long that the heartbeats would have
   * failed, too, if the server were away.
   */
  static final Duration PATIENCE_AT_THE_END = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(ReportSender.class);

  /**
   * The queue of one of the loops.
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
  private volatile boolean catchUpAwaited;

  /**
   * @param wakeUp wakes the sending loop
   * @param storeWakeUp wakes the storing loop
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
        new Outbox(new ReportQueue(), storeWakeUp, new OutageLog(log, "objects of reports", link));
    link.whenMended(this::hurry);
  }

  /**
   * Queues a report and returns. The run must be in REPORTING.
   *
   * <p>A text that is too large for a row is stored first, by the calling thread, so that uploads
   * run in parallel. If that fails, the report is kept unchanged and the upload is repeated later.
   */
  void submit(Run run, Report report) {
    submit(PendingReport.fresh(new ReportOrigin.OfRun(run, held), movedIfPossible(run, report)));
  }

  private Report movedIfPossible(Run run, Report report) {
    try {
      return texts.moved(report, run.task().taskStage());
    } catch (Throwable thrown) { // a lack of memory, too, must not lose the report
      log.debug("{}: its text could not be stored; it is tried again", run, thrown);
      return report;
    }
  }

  private void submit(PendingReport pending) {
    (needsStore(pending.report()) ? toStore : toSend).add(pending);
  }

  private boolean needsStore(Report report) {
    return LargeTexts.isLarge(report) || spool.objects().hasObjectsOf(report);
  }

  /** Adopts the reports of processes that have ended, and delivers them. */
  public void adopt() {
    List<Report> leftBehind = spool.adopt();
    // Now all objects that they name are visible, because the processes that kept them have ended.
    spool.objects().look();
    deliver(leftBehind);
  }

  /** Sends reports of an earlier process, before new work begins. */
  public void deliver(List<Report> leftBehind) {
    leftBehind.forEach(report -> submit(PendingReport.leftBehind(report)));
  }

  /** Delivers objects of runs that ended without a report that names them. */
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
   * Whether finished work cannot be reported because the link is cut or the spool is full. When the
   * link is restored, the leases of that work may have expired: a worker that held before it
   * reports would get the same tasks again.
   *
   * <p>A caller that gets {@code true} may wait for the {@linkplain #whenCaughtUp listener}.
   */
  public boolean behind() {
    if (!isBehind()) {
      return false;
    }
    catchUpAwaited = true;
    return isBehind(); // it may have caught up before the flag was set
  }

  private boolean isBehind() {
    return toSend.queue().anyStranded() || toStore.queue().anyStranded() || spool.full();
  }

  /**
   * Calls {@code listener} when the sender has caught up after {@link #behind} returned {@code
   * true}.
   */
  public void whenCaughtUp(Runnable listener) {
    caughtUp.add(listener);
  }

  private void notifyIfCaughtUp() {
    if (catchUpAwaited && !isBehind()) {
      catchUpAwaited = false; // first: later callers are notified below, or next time
      caughtUp.forEach(Runnable::run);
    }
  }

  /** Whether a report can be piggybacked now. */
  public boolean canPiggyback() {
    return serverKnowsPiggybacking && toSend.queue().anyPiggybackable();
  }

  /** Takes reports for a hold; {@link #settlePiggybackedReports} must follow. */
  public List<PendingReport> takePiggybackedReports() {
    return serverKnowsPiggybacking ? toSend.queue().takePiggybackable(MOST_PIGGYBACKED) : List.of();
  }

  /**
   * Settles the reports that a hold carried. Reports that it did not settle are sent in the usual
   * way.
   *
   * @param outcomes {@code null} if no answer came
   */
  public void settlePiggybackedReports(
      List<PendingReport> piggybacked, List<ReportResult> outcomes) {
    boolean areAnswered = outcomes != null && outcomes.size() == piggybacked.size();
    if (outcomes != null && !areAnswered) {
      serverKnowsPiggybacking = false; // an old server, which ignored them
    }
    List<PendingReport> unprocessed = new LinkedList<>();
    piggybacked.forEach(pending -> unprocessed.add(pending.unsettledByHold()));
    try {
      Iterator<PendingReport> iterator = unprocessed.iterator();
      for (ReportResult outcome : areAnswered ? outcomes : List.<ReportResult>of()) {
        PendingReport pending = iterator.next();
        if (outcome.stands()) {
          settled(pending);
          iterator.remove();
        }
      }
    } finally {
      toSend.queue().isOver(piggybacked, unprocessed);
      if (!unprocessed.isEmpty()) {
        toSend.wakeUp().signal();
      }
      notifyIfCaughtUp();
    }
  }

  private void settled(PendingReport pending) {
    leavesQueues(pending);
    spool.forget(pending.report());
    pending.accepted();
  }

  /**
   * A report is settled. It leaves the queues before the spool and its run hear of that: a stop
   * waits for the runs alone, and keeps what is still queued.
   */
  private void leavesQueues(PendingReport pending) {
    toStore.queue().settled(pending.origin());
    toSend.queue().settled(pending.origin());
  }

  /**
   * Keeps everything that is not settled, for the next start.
   *
   * @return the held runs whose report no longer needs the lease
   */
  public Set<Run> keepAll() {
    spool.tryAgain(); // it is the last chance
    List<PendingReport> kept =
        unsettled()
            .filter(pending -> isWorthKeeping(pending.report()) && spool.keep(pending.report()))
            .toList();
    Set<ReportOrigin> stillUnsettled =
        unsettled().map(PendingReport::origin).collect(Collectors.toSet());
    Set<Run> runs = new HashSet<>();
    for (PendingReport pending : kept) {
      if (!stillUnsettled.contains(pending.origin())) {
        spool.forget(pending.report()); // it was settled meanwhile, maybe before it was kept
      } else if (pending.origin() instanceof ReportOrigin.OfRun ofRun) {
        runs.add(ofRun.run());
      }
    }
    return runs;
  }

  private Stream<PendingReport> unsettled() {
    return Stream.of(toStore, toSend).flatMap(outbox -> outbox.queue().unsettled().stream());
  }

  /** Sends due reports. */
  @Override
  public Duration runOnce() {
    return turn(toSend, MOST_REPORTS, this::send);
  }

  /** Stores the objects and texts of the first due report, and queues it for sending. */
  public Duration storeOnce() {
    return turn(toStore, 1, this::store);
  }

  /**
   * @param work processes the due reports; gets them and a list of the same, from which it removes
   *     the processed ones
   */
  private Duration turn(
      Outbox outbox, int atMost, BiConsumer<List<PendingReport>, Deque<PendingReport>> work) {
    List<PendingReport> due = outbox.queue().takeDue(ticker.nanos(), atMost);
    Deque<PendingReport> unprocessed = new ArrayDeque<>(due);
    try {
      work.accept(due, unprocessed);
    } finally {
      // Even an Error, such as a lack of memory, must not lose a report.
      outbox.queue().isOver(due, unprocessed);
      notifyIfCaughtUp();
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
   * Stores the objects and texts of reports, and queues them for sending. Reports and objects are
   * on disk before, because an upload may take long and the process may be killed meanwhile.
   *
   * @param unprocessed the unprocessed reports; each one that is sent, refused or waiting again is
   *     removed
   */
  private void store(List<PendingReport> all, Deque<PendingReport> unprocessed) {
    for (PendingReport pending : all) {
      spool.keep(pending.report());
      try {
        spool.objects().deliverObjectsOf(pending.report(), client.store());
        Report light = texts.moved(pending.report());
        toStore.outage().worked();
        toSend.add(pending.stored(light));
        unprocessed.remove(pending);
      } catch (RuntimeException e) {
        if (mayPass(codeOf(e))) {
          later(toStore, List.of(pending), unprocessed, e);
        } else {
          toStore.outage().worked(); // the server answered
          refused(pending, codeOf(e), String.valueOf(e.getMessage()));
          unprocessed.remove(pending);
        }
      }
    }
  }

  /**
   * Sends reports in one request; a batch that is refused as a whole, or too large for a slow
   * connection, is sent again in halves.
   *
   * @param unprocessed the unprocessed reports; each one that is settled or waiting again is
   *     removed
   */
  private void send(List<PendingReport> all, Deque<PendingReport> unprocessed) {
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
        settle(batch, results, unprocessed);
      } catch (RuntimeException e) {
        boolean mayPassInHalves = codeOf(e) == ErrorCode.BODY_TOO_SLOW && batch.size() > 1;
        if (mayPass(codeOf(e)) && !mayPassInHalves) {
          batches.addFirst(batch);
          batches.forEach(unsent -> later(toSend, unsent, unprocessed, e));
          return;
        }
        if (batch.size() == 1) {
          refused(batch.get(0), codeOf(e), String.valueOf(e.getMessage()));
          unprocessed.remove(batch.get(0));
        } else {
          int half = batch.size() / 2;
          batches.addFirst(batch.subList(half, batch.size()));
          batches.addFirst(batch.subList(0, half));
        }
      }
    }
  }

  private void settle(
      List<PendingReport> batch, List<ReportResult> results, Deque<PendingReport> unprocessed) {
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
      unprocessed.remove(pending);
    }
  }

  /** Handles the refusal of one report, by its code and the report's outcome. */
  private void refused(PendingReport pending, ErrorCode code, String why) {
    if (mayPass(code)) {
      if (pending.failures() == 0) {
        log.warn("{}: its report is refused ({}); it is repeated", pending.origin(), why);
      }
      repeat(toSend, pending, true, why);
      return;
    }
    ReportOrigin origin = pending.origin();
    Report report = pending.report();
    switch (code) {
      case LEASE_LOST, TRANSITION_NOT_ALLOWED -> {
        log.warn("{}: its report {} does not count: {}", origin, report.outcome(), why);
        leavesQueues(pending);
        spool.forget(report);
        pending.refused();
      }
      case NO_SUCH_TASK -> {
        // The task of another server, or a report that was kept for long.
        log.warn("{}: its report {} finds no task: {}", origin, report.outcome(), why);
        leavesQueues(pending);
        spool.setAside(report);
        pending.refused();
      }
      default -> {
        if (report.outcome() == Outcome.FAIL && report.creates() == null) {
          log.error("{}: even its FAIL is refused ({}); its lease is left to run out", origin, why);
          leavesQueues(pending);
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
    String reason =
        "the report " + report.outcome() + " was refused with " + code.code() + ": " + why;
    if (code != ErrorCode.TOO_LARGE || report.creates() != null) {
      return reason; // it names the task that is too large
    }
    String text = LargeTexts.textOf(report);
    long bytes = text == null ? 0 : LargeTexts.bytesOf(text);
    return reason
        + " (it has "
        + bytes
        + " bytes; large data belongs elsewhere, and its name here)";
  }

  /** Handles a missing answer, or an error that may pass. */
  private void later(
      Outbox outbox,
      List<PendingReport> batch,
      Deque<PendingReport> unprocessed,
      RuntimeException why) {
    ErrorCode code = codeOf(why);
    String message = String.valueOf(why.getMessage());
    outbox.outage().failed(code.name(), message, "kept, and repeated until they are accepted");
    boolean alone = isAlone(code, outbox.outage());
    for (PendingReport pending : batch) {
      repeat(outbox, pending, alone, message);
      unprocessed.remove(pending);
    }
  }

  /**
   * Whether the failure affects this report alone: a wrong key, a limit or an outage affects all
   * calls.
   */
  private boolean isAlone(ErrorCode code, OutageLog outage) {
    return switch (code) {
      case INTERNAL -> true;
      case UNAVAILABLE -> link.othersAreConnected(outage);
      default -> false;
    };
  }

  /**
   * @param alone whether all other calls work, so that the report may be the cause
   */
  private void repeat(Outbox outbox, PendingReport pending, boolean alone, String why) {
    if (isWorthKeeping(pending.report())) {
      spool.keep(pending.report());
    }
    long now = ticker.nanos();
    Duration wait = backoff.after(pending.failures() + 1);
    PendingReport again = alone ? pending.failed(now, wait) : pending.cutOff(now, wait);
    boolean isLastTry = again.notBefore() >= pending.origin().reportBy();
    Duration patience =
        isLastTry && hasTexts(pending.report()) ? PATIENCE_AT_THE_END : GIVE_UP_AFTER;
    if (!again.failingFor(patience, now)) {
      outbox.queue().add(again);
      return;
    }
    leavesQueues(pending);
    spool.setAside(pending.report());
    if (hasTexts(pending.report())) {
      String reason =
          "the report %s found no way to flowsvr, while other calls did: %s"
              .formatted(pending.report().outcome(), why);
      log.error("{}: {}; it is reported as RETRY", pending.origin(), OneLine.of(reason));
      submit(again.replaced(writer.retryInstead(pending.report(), reason)));
    } else {
      log.error("{}: its report {} is given up", pending.origin(), pending.report().outcome());
      again.givenUp();
    }
  }

  /** Whether something between may dislike what the report says; its reason alone may pass. */
  private static boolean hasTexts(Report report) {
    return report.creates() != null || LargeTexts.textOf(report) != null;
  }

  /** Whether the report must be spooled; a released task returns by itself when its lease ends. */
  private static boolean isWorthKeeping(Report report) {
    return report.outcome() != Outcome.RELEASE;
  }

  private static ErrorCode codeOf(RuntimeException e) {
    return e instanceof FlowException refusal ? refusal.errorCode() : ErrorCode.INTERNAL;
  }

  /**
   * Whether the same report may be accepted later: after an outage, a limit, or a change of the
   * key, of its roles or of the server's name.
   */
  private static boolean mayPass(ErrorCode code) {
    return code.retryable()
        || code.refusesKey()
        || code == ErrorCode.INTERNAL
        || code == ErrorCode.WRONG_HOST;
  }
}
