package io.asyncflow.worker.internal;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.NextTurn;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.WorkerStart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends heartbeats. One request renews the leases of all held tasks, including queued and reporting
 * ones, every fifth of the shortest lease. A worker without tasks beats every few seconds, so that
 * operators see it and can drain it. While a hold call is open, which also shows that the worker
 * lives, it beats only now and then, or when its description has changed. While the server says
 * that it can write nothing, runs are kept beyond their leases.
 */
final class HeartbeatSender implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(HeartbeatSender.class);
  private static final int MOST_TASKS = 1000;

  /** The interval between signs of life, beats or holds, of a worker without tasks. */
  private static final Duration IDLE_INTERVAL = Duration.ofSeconds(10);

  /** The interval between beats that contain the worker's description. */
  private static final Duration DESCRIPTION_INTERVAL = Duration.ofMinutes(1);

  /** Spreads the first beats of workers that were started together. */
  private static final Duration LATEST_START = Duration.ofSeconds(1);

  /** The part of an interval by which jitter may shorten it. */
  private static final double JITTER = 0.2;

  private static final Duration FAREWELL = Duration.ofSeconds(1);

  /** For how long beats carry leases alone, once the description was refused. */
  private static final Duration BARE = Duration.ofMinutes(10);

  /** Prevents a busy loop at the end of a lease that the server does not renew. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

  private final WorkerStart worker;
  private final FlowClient client;
  private final HeldRuns held;
  private final RunEnds ends;
  private final Supplier<WorkerInfo> info;
  private final BooleanSupplier polls;
  private final Consumer<Long> drain;
  private final Duration patience;
  private final Ticker ticker;
  private final WakeUp wakeUp;
  private final Backoff backoff;
  private final Jitter jitter;
  private final OutageLog outage;
  private final NextTurn nextTurn;
  private long idleBeat;
  private long describedUntil;
  private long notBefore;
  private boolean toldOfTasks;
  private long bareUntil;
  private volatile boolean hasNews;
  private boolean isHeard;

  /**
   * @param info returns the worker's description
   * @param polls whether a hold call is open
   * @param drain called when the server drains this worker, with the grace of its runs in ms,
   *     {@code null} for as long as they take; may be called often
   * @param patience for how long runs go on beyond their leases while the server cannot renew any
   */
  HeartbeatSender(
      WorkerStart worker,
      FlowClient client,
      HeldRuns held,
      RunEnds ends,
      Supplier<WorkerInfo> info,
      BooleanSupplier polls,
      Consumer<Long> drain,
      Duration patience,
      Ticker ticker,
      WakeUp wakeUp,
      Backoff backoff,
      Jitter jitter,
      Link link) {
    this.worker = worker;
    this.client = client;
    this.held = held;
    this.ends = ends;
    this.info = info;
    this.polls = polls;
    this.drain = drain;
    this.patience = patience;
    this.ticker = ticker;
    this.wakeUp = wakeUp;
    this.backoff = backoff;
    this.jitter = jitter;
    this.idleBeat = ticker.nanos() + jitter.shorten(LATEST_START, 1).toNanos();
    this.describedUntil = idleBeat;
    this.bareUntil = ticker.nanos();
    this.outage = new OutageLog(log, "heartbeats", link);
    this.nextTurn = new NextTurn(wakeUp);
    held.whenAdded(run -> nextTurn.add(run.lease().renewAt()));
  }

  /** Sends the next beat soon: the description has changed in a way that matters to operators. */
  void beatSoon() {
    hasNews = true;
    wakeUp.signal();
  }

  /**
   * Tells the server that the worker has stopped and holds nothing, so that operators do not take
   * it for lost. Tried once, if the last beat was heard, and for a moment: the stop does not wait
   * for a server that is away.
   */
  void farewell() {
    Thread last = new Thread(this::sayFarewell, "asyncflow-farewell");
    last.setDaemon(true);
    last.start();
    try {
      last.join(FAREWELL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A beat that is under way has ended before, so that the last one is known. */
  private synchronized void sayFarewell() {
    if (!isHeard) {
      return;
    }
    try {
      send(List.of());
    } catch (RuntimeException e) {
      log.debug("the server does not hear that this worker has stopped", e);
    }
  }

  @Override
  public Duration runOnce() {
    if (dueAt() <= ticker.nanos()) {
      if (isBeatUnnecessary()) {
        idleBeat = nextIdleBeat(ticker.nanos());
      } else {
        beat();
      }
    }
    return ticker.until(nextTurn.plan(this::dueAt));
  }

  private long dueAt() {
    long renewal =
        held.all().stream().mapToLong(run -> run.lease().renewAt()).min().orElse(Long.MAX_VALUE);
    long idle = hasNews ? notBefore : idleBeat;
    return Math.max(Math.min(renewal, idle), notBefore);
  }

  /**
   * Whether an open hold call makes a beat unnecessary: the worker holds nothing and has no news.
   */
  private boolean isBeatUnnecessary() {
    return polls.getAsBoolean()
        && held.isEmpty()
        && !toldOfTasks
        && !hasNews
        && ticker.nanos() < describedUntil;
  }

  private long nextIdleBeat(long from) {
    return from + jitter.shorten(IDLE_INTERVAL, JITTER).toNanos();
  }

  private synchronized void beat() {
    hasNews = false; // before sending: later news is sent again
    List<Run> runs = new ArrayList<>(held.all());
    long start = ticker.nanos();
    try {
      int from = 0;
      do {
        int end = Math.min(from + MOST_TASKS, runs.size());
        beat(runs.subList(from, end));
        from = end;
      } while (from < runs.size());
      backoff.reset();
      notBefore = start + SHORTEST_PAUSE.toNanos();
      idleBeat = nextIdleBeat(start);
      describedUntil = start + jitter.shorten(DESCRIPTION_INTERVAL, JITTER).toNanos();
      toldOfTasks = !runs.isEmpty();
      isHeard = true;
      outage.worked();
    } catch (FlowException e) {
      trust(runs, e);
      hasNews = true;
      isHeard = false;
      notBefore = ticker.nanos() + shorter(backoff.next(), shortestInterval(runs)).toNanos();
      outage.failed(e.errorCode().name(), e.getMessage(), "tried again until it works");
    }
  }

  /**
   * A server that can write nothing can give no task to another worker either: runs go on. What is
   * no answer, such as the 502 of a gateway, or may pass by itself, changes nothing in that. A
   * renewal ends it for a run, and so does another refusal.
   */
  private void trust(List<Run> runs, FlowException e) {
    boolean isAnswer = !(e instanceof FlowUnreachableException);
    if (isAnswer && e.errorCode() == ErrorCode.UNAVAILABLE) {
      runs.forEach(run -> run.trustFor(patience));
    } else if (!e.retryable()) {
      runs.forEach(run -> run.trustFor(Duration.ZERO));
    }
  }

  private void beat(List<Run> runs) {
    List<HeldTask> tasks =
        runs.stream()
            .map(run -> new HeldTask(run.task().taskId(), run.task().leaseEpoch(), run.progress()))
            .toList();
    long start = ticker.nanos();
    HeartbeatAnswer answer = send(tasks);
    for (LeaseState lease : answer.tasks()) {
      Run run = held.find(lease.taskId(), lease.leaseEpoch());
      if (run != null) {
        apply(run, lease, start);
      }
    }
    runs.stream()
        .filter(run -> run.lease().renewAt() <= start)
        .forEach(run -> run.notRenewed(ticker.nanos()));
    if (answer.drain()) {
      drain.accept(answer.drainGraceMs());
    }
  }

  private HeartbeatAnswer send(List<HeldTask> tasks) {
    if (ticker.nanos() < bareUntil) {
      return client.heartbeat(beat(tasks, null));
    }
    try {
      return client.heartbeat(beat(tasks, info.get()));
    } catch (RuntimeException e) {
      if (e instanceof FlowException other
          && (other.retryable() || other.errorCode().refusesKey())) {
        throw e;
      }
      // A description that is refused, by whatever is between too, or that cannot be made or
      // written, must not cost leases.
      HeartbeatAnswer answer = client.heartbeat(beat(tasks, null));
      bareUntil = ticker.nanos() + BARE.toNanos();
      log.warn(
          "flowsvr gets no description of this worker for {} min, as it was refused: {}",
          BARE.toMinutes(),
          OneLine.ofThrowable(e));
      return answer;
    }
  }

  private Heartbeat beat(List<HeldTask> tasks, WorkerInfo description) {
    return new Heartbeat(worker.workerId(), tasks, description, worker.startId());
  }

  private void apply(Run run, LeaseState lease, long requestStart) {
    switch (lease.state()) {
      case EXTENDED -> run.renew(requestStart, lease.leaseMs());
      case LOST -> ends.lost(run, "the server says that its lease is lost");
      case CANCEL -> ends.cancelled(run);
    }
  }

  private static Duration shortestInterval(List<Run> runs) {
    Optional<Duration> shortest =
        runs.stream().map(run -> run.lease().renewalInterval()).min(Comparator.naturalOrder());
    return shortest.orElse(IDLE_INTERVAL);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
