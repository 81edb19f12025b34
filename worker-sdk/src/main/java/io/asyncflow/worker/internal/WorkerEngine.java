package io.asyncflow.worker.internal;

import io.asyncflow.api.FlowClient;
import io.asyncflow.worker.WorkerSettings;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import io.asyncflow.worker.internal.TransitionTable.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the loops together, starts them, and stops them in the right order. */
public final class WorkerEngine {

  private static final Logger log = LoggerFactory.getLogger(WorkerEngine.class);

  /** How long the reports of the last runs may take after the grace is over. */
  private static final Duration LAST_REPORTS = Duration.ofSeconds(5);

  private final WorkerSettings settings;
  private final HoldLock lock;
  private final Ticker ticker;
  private final SlotPool slots;
  private final HeldRuns held = new HeldRuns();
  private final Bell settledBell = new Bell();
  private final Bell deadlineBell = new Bell();
  private final RunEnds ends;
  private final TypeSettingsFeed feed;
  private final Loop feeding;
  private final Loop reporting;
  private final Loop keeping;
  private final Loop watching;
  private final List<TypeLane> lanes = new ArrayList<>();
  private volatile WorkerState state = WorkerState.NEW;

  /**
   * @param heartbeats a client of its own, so that a slow call of another kind never delays a
   *     renewal
   */
  public WorkerEngine(
      WorkerSettings settings,
      StageRegistry registry,
      FlowClient client,
      FlowClient heartbeats,
      HoldLock lock,
      Ticker ticker) {
    this.settings = settings;
    this.lock = lock;
    this.ticker = ticker;
    this.slots = new SlotPool(settings.slots());
    Map<String, Map<String, RegisteredStage>> types = registry.types();

    ReportWriter writer = new ReportWriter(settings.workerId());
    Bell reportBell = new Bell();
    ReportSender sender = new ReportSender(client, held, writer, ticker, reportBell, newBackoff());
    reporting = new Loop("asyncflow-reports", reportBell, true, sender);
    ends = new RunEnds(writer, sender, held, ticker);

    Bell leaseBell = new Bell();
    LeaseKeeper keeper =
        new LeaseKeeper(
            settings.workerId(),
            heartbeats,
            held,
            ends,
            this::drain,
            ticker,
            leaseBell,
            newBackoff());
    keeping = new Loop("asyncflow-leases", leaseBell, true, keeper);
    DeadlineWatch watch = new DeadlineWatch(held, ends, ticker, deadlineBell);
    watching = new Loop("asyncflow-deadlines", deadlineBell, true, watch);

    feed = new TypeSettingsFeed(client, types.keySet(), newBackoff(), WorkerEngine::chance);
    feeding = new Loop("asyncflow-settings", new Bell(), true, feed);
    types.forEach((type, stages) -> lanes.add(lane(type, stages, client)));

    feed.whenChanged(() -> lanes.forEach(lane -> lane.poller().wake()));
    held.whenSettled(run -> settledBell.ring());
  }

  private TypeLane lane(String type, Map<String, RegisteredStage> stages, FlowClient client) {
    Bell bell = new Bell();
    RunPool pool =
        new RunPool(
            type,
            settings.threads(),
            settings.prefetch(),
            slots,
            new StageRunner(ends, ticker),
            bell::ring);
    Asks asks = new Asks(type, stages.values(), pool, slots, held, settings.backlogThreshold());
    TypePoller poller =
        new TypePoller(
            type,
            asks,
            new HoldCall(type, settings.workerId(), client, ticker),
            new Intake(stages, pool, held, ends, Listener.none()),
            lock,
            () -> feed.limits(type),
            ticker,
            bell,
            newBackoff(),
            Listener.none());
    slots.whenFreed(poller::slotFreed);
    held.whenSettled(
        run -> {
          if (run.task().taskType().equals(type)) {
            bell.ring();
          }
        });
    // The pollers alone keep the JVM from ending: a worker without Spring has no other thread.
    Loop polling = new Loop("asyncflow-" + type + "-poller", bell, false, poller);
    return new TypeLane(type, poller, polling, pool);
  }

  private static Backoff newBackoff() {
    return new Backoff(WorkerEngine::chance);
  }

  private static double chance() {
    return ThreadLocalRandom.current().nextDouble();
  }

  public WorkerState state() {
    return state;
  }

  public WorkerView view() {
    return new WorkerView(
        settings.workerId(),
        state,
        lanes.stream().map(lane -> lane.view(held)).toList(),
        slots.total(),
        slots.free());
  }

  public synchronized void start() {
    if (state != WorkerState.NEW) {
      throw new IllegalStateException("a worker starts once; this one is " + state);
    }
    state = WorkerState.RUNNING;
    List.of(reporting, keeping, watching, feeding).forEach(Loop::start);
    lanes.forEach(TypeLane::start);
    log.info(
        "worker {} started: {}",
        settings.workerId(),
        lanes.stream().map(TypeLane::taskType).toList());
  }

  /** The server wants this worker to finish what it has and to leave. */
  private void drain() {
    if (state == WorkerState.RUNNING) {
      log.info("flowsvr drains this worker; it finishes what it has and stops");
      Thread leaving = new Thread(() -> stop(Duration.ofDays(1)), "asyncflow-drain");
      leaving.setDaemon(true);
      leaving.start();
    }
  }

  /**
   * Stops: no more holds, queued runs are given back at once, running ones may finish for {@code
   * grace} and are then interrupted and given back. Leases are kept until all is settled.
   *
   * @return {@code false} if something was left to its lease
   */
  public synchronized boolean stop(Duration grace) {
    if (state == WorkerState.NEW) {
      state = WorkerState.STOPPED;
      lock.close();
    }
    if (state == WorkerState.STOPPED) {
      return true;
    }
    state = WorkerState.STOPPING;
    log.info("worker {} stops; runs have {} ms to end", settings.workerId(), grace.toMillis());
    for (TypeLane lane : lanes) {
      lane.stop().forEach(run -> ends.release(run, "the worker stops"));
    }
    boolean settled = false;
    try {
      settled = awaitSettled(grace) || interruptAndAwait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List.of(feeding, reporting, keeping, watching).forEach(Loop::stop);
    lock.close();
    state = WorkerState.STOPPED;
    if (settled) {
      log.info("worker {} stopped; nothing is left behind", settings.workerId());
    } else {
      log.warn(
          "worker {} stopped; {} tasks are left to their leases",
          settings.workerId(),
          held.all().size());
    }
    return settled;
  }

  private boolean interruptAndAwait() throws InterruptedException {
    long now = ticker.nanos();
    for (TypeLane lane : lanes) {
      lane.pool().running().forEach(run -> run.stop(StopCause.SHUT_DOWN, now));
    }
    deadlineBell.ring();
    return awaitSettled(LAST_REPORTS);
  }

  /** The pollers ended, for they may still give something back, and nothing is held any more. */
  private boolean awaitSettled(Duration atMost) throws InterruptedException {
    long end = ticker.nanos() + atMost.toNanos();
    for (TypeLane lane : lanes) {
      if (!lane.polling().join(ticker.until(end))) {
        return false;
      }
    }
    while (!held.isEmpty()) {
      Duration left = ticker.until(end);
      if (left.isZero()) {
        return false;
      }
      settledBell.await(left);
    }
    return true;
  }
}
