package io.asyncflow.worker.internal;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.worker.HoldLock;
import io.asyncflow.worker.RunEnd;
import io.asyncflow.worker.WorkerSettings;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import io.asyncflow.worker.internal.execute.DeadlineWatch;
import io.asyncflow.worker.internal.execute.LocalRetries;
import io.asyncflow.worker.internal.execute.RunPool;
import io.asyncflow.worker.internal.execute.SlotPool;
import io.asyncflow.worker.internal.execute.StageRunner;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.loop.TransitionTable.Listener;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.poll.Admission;
import io.asyncflow.worker.internal.poll.HoldCall;
import io.asyncflow.worker.internal.poll.PollerState;
import io.asyncflow.worker.internal.poll.TypeDemand;
import io.asyncflow.worker.internal.poll.TypePoller;
import io.asyncflow.worker.internal.poll.TypeSettingsFeed;
import io.asyncflow.worker.internal.report.ReportSender;
import io.asyncflow.worker.internal.report.ReportWriter;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.StopCause;
import io.asyncflow.worker.internal.run.WorkerStart;
import io.asyncflow.worker.internal.schedule.ScheduleSaver;
import io.asyncflow.worker.internal.spool.Spool;
import io.asyncflow.worker.internal.spool.SpoolingStore;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import io.asyncflow.worker.internal.stage.StageRegistry;
import io.asyncflow.worker.tracing.RunTracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the loops of a worker, starts them, and stops them in the right order. */
public final class WorkerLoops {

  private static final Logger log = LoggerFactory.getLogger(WorkerLoops.class);

  /** How long the last reports may take after the grace. */
  private static final Duration LAST_REPORTS = Duration.ofSeconds(5);

  private static final Duration ADOPTION_INTERVAL = Duration.ofMinutes(1);

  /** The part of an interval by which jitter may shorten it. */
  private static final double JITTER = 0.2;

  private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(365);

  /** How many stuck runs a message names. */
  private static final int NAMED = 3;

  private final WorkerSettings settings;
  private final HoldLock lock;
  private final Spool spool;
  private final Ticker ticker;
  private final SlotPool slots;
  private final LocalRetries localRetries;
  private final Link link = new Link();
  private final HeldRuns held = new HeldRuns();
  private final WakeUp progress = new WakeUp();
  private final WakeUp deadlineWakeUp = new WakeUp();
  private final ReportSender sender;
  private final RunEnds ends;
  private final TypeSettingsFeed feed;
  private final Loop feeding;
  private final Loop scheduling;
  private final Loop reporting;
  private final Loop storing;
  private final Loop beating;
  private final Loop watching;
  private final Loop adopting;
  private final Loop quarantine;
  private final List<TypePipeline> pipelines = new ArrayList<>();
  private final WorkerStart start;
  private final SelfDescription self;
  private final OutageLog health;
  private final Runnable whenDrained;
  private final Drain drain;
  private final HeartbeatSender heart;
  private volatile WorkerState state = WorkerState.NEW;
  private volatile boolean isPaused;
  private volatile long graceEnd = Long.MAX_VALUE;
  private volatile Thread stopping;

  /**
   * @param schedules saved once, by a loop of their own
   * @param sealing seals and opens what runs read, store and report
   * @param heartbeats a separate client for heartbeats, so that a slow other call never delays a
   *     renewal
   * @param whenDrained called when the worker has stopped because the server drained it
   */
  public WorkerLoops(
      WorkerSettings settings,
      StageRegistry registry,
      List<NewSchedule> schedules,
      FlowClient client,
      FlowClient heartbeats,
      Sealing sealing,
      RunTracing tracing,
      HoldLock lock,
      Spool spool,
      Ticker ticker,
      Runnable whenDrained) {
    this.settings = settings;
    this.start = WorkerStart.of(settings);
    this.lock = lock;
    this.spool = spool;
    this.ticker = ticker;
    this.localRetries = new LocalRetries(ticker);
    WakeUp quarantineWakeUp = new WakeUp();
    this.slots = new SlotPool(settings.slots(), ticker, quarantineWakeUp);
    quarantine = new Loop("asyncflow-quarantine", quarantineWakeUp, true, slots);
    this.whenDrained = whenDrained;
    this.health = new OutageLog(log, "health of this worker", link);
    this.drain = new Drain(this::stopDrained, Thread::new, link);
    Map<String, Map<String, RegisteredStage>> types = registry.typesFor(settings);
    self = new SelfDescription(settings, types, registry.withheldBy(settings));

    ReportWriter writer = new ReportWriter(settings.workerId(), sealing);
    WakeUp reportWakeUp = new WakeUp();
    WakeUp storeWakeUp = new WakeUp();
    sender =
        new ReportSender(
            client, held, writer, spool, ticker, reportWakeUp, storeWakeUp, newBackoff(), link);
    reporting = new Loop("asyncflow-reports", reportWakeUp, true, sender);
    storing = new Loop("asyncflow-uploads", storeWakeUp, true, sender::storeOnce);
    ends = new RunEnds(writer, sender, held, ticker);

    WakeUp heartbeatWakeUp = new WakeUp();
    heart =
        new HeartbeatSender(
            start,
            heartbeats,
            held,
            ends,
            this::describe,
            this::polls,
            this::drain,
            settings.outagePatience(),
            ticker,
            heartbeatWakeUp,
            newBackoff(),
            Jitter.random(),
            link);
    beating = new Loop("asyncflow-heartbeats", heartbeatWakeUp, true, heart);
    slots.whenQuarantineChanged(heart::beatSoon);
    DeadlineWatch watch = new DeadlineWatch(held, ends, this::stalled, ticker, deadlineWakeUp);
    watching = new Loop("asyncflow-deadlines", deadlineWakeUp, true, watch);

    feed = new TypeSettingsFeed(client, types.keySet(), newBackoff(), Jitter.random(), link);
    feeding = new Loop("asyncflow-settings", new WakeUp(), true, feed);
    ScheduleSaver saver = new ScheduleSaver(client, schedules, newBackoff(), link);
    scheduling = new Loop("asyncflow-schedules", new WakeUp(), true, saver);
    types.forEach(
        (type, stages) -> pipelines.add(pipeline(type, stages, client, sealing, tracing)));

    adopting = new Loop("asyncflow-spool", new WakeUp(), true, this::tidySpool);
    sender.whenCaughtUp(() -> pipelines.forEach(pipeline -> pipeline.poller().wake()));
    feed.whenChanged(() -> pipelines.forEach(pipeline -> pipeline.poller().wake()));
    held.whenSettled(run -> progress.signal());
    held.whenSettled(run -> slots.passOn());
  }

  private TypePipeline pipeline(
      String type,
      Map<String, RegisteredStage> stages,
      FlowClient client,
      Sealing sealing,
      RunTracing tracing) {
    WakeUp wakeUp = new WakeUp();
    RunPool pool =
        new RunPool(
            type,
            settings.threads(),
            settings.prefetch(),
            slots,
            new StageRunner(
                ends,
                slots,
                localRetries,
                ticker,
                client,
                new SpoolingStore(client.store(), spool.objects()),
                sealing,
                tracing),
            sealing,
            Thread::new,
            ticker,
            () -> held.isReporting(type),
            wakeUp::signal);
    TypeDemand demand =
        new TypeDemand(type, stages.values(), pool, slots, held, settings.backlogThreshold());
    TypePoller poller =
        new TypePoller(
            type,
            demand,
            new HoldCall(type, start, client, sender, this::drain, ticker),
            new Admission(stages, pool, held, ends, Listener.none()),
            lock,
            () -> isPaused || sender.behind() ? null : feed.limits(type),
            wakeUp,
            newBackoff(),
            Jitter.random(),
            link,
            this::pollerMoved);
    slots.whenFreed(poller::slotFreed);
    held.whenSettled(
        run -> {
          if (run.taskType().equals(type)) {
            pool.wakeOne();
            wakeUp.signal();
          }
        });
    // Only the pollers keep the JVM alive: a worker without Spring has no other non-daemon thread.
    Loop polling = new Loop("asyncflow-" + type + "-poller", wakeUp, false, poller);
    return new TypePipeline(type, poller, polling, pool);
  }

  private List<Run> stalled() {
    return pipelines.stream().flatMap(pipeline -> pipeline.pool().stalled().stream()).toList();
  }

  private static Backoff newBackoff() {
    return new Backoff(Jitter.random());
  }

  /** Calls {@code listener} at the end of each run, in the thread that ends it. */
  public void whenRunEnds(Consumer<RunEnd> listener) {
    ends.whenEnded(listener);
  }

  public WorkerState state() {
    return state;
  }

  public WorkerView view() {
    List<String> quarantined = slots.quarantined();
    List<Run> stuck =
        pipelines.stream().flatMap(pipeline -> pipeline.pool().stuck().stream()).toList();
    return new WorkerView(
        settings.workerId(),
        state,
        pipelines.stream().map(pipeline -> pipeline.view(held)).toList(),
        slots.total(),
        slots.freePlaces(),
        quarantined,
        spool.size(),
        localRetries.count(),
        problemOf(stuck, quarantined));
  }

  private String problemOf(List<Run> stuck, List<String> quarantined) {
    if (stuck.size() >= settings.stuckThreshold()) {
      return problemOf(stuck);
    }
    return !quarantined.isEmpty() && quarantined.size() == slots.total()
        ? "every slot lacked resources three times in a row: " + String.join(", ", quarantined)
        : null;
  }

  private static String problemOf(List<Run> stuck) {
    String names = stuck.stream().limit(NAMED).map(Run::toString).collect(joining(", "));
    return stuck.size() + " handlers ignore the interrupt and keep their threads: " + names;
  }

  private boolean polls() {
    return pipelines.stream()
        .anyMatch(pipeline -> pipeline.poller().state() == PollerState.POLLING);
  }

  private WorkerInfo describe() {
    WorkerView now = view();
    if (now.problem() == null) {
      health.worked();
    } else {
      health.failed("UNHEALTHY", now.problem(), "reported with every heartbeat until it is over");
    }
    return self.at(now, isPaused, pipelines, slots);
  }

  public synchronized void start() {
    if (state != WorkerState.NEW) {
      throw new IllegalStateException("a worker starts once; this one is " + state);
    }
    state = WorkerState.RUNNING;
    sender.adopt(); // before the first hold: an adopted report may be of a task that would be held
    loops().forEach(Loop::start);
    pipelines.forEach(TypePipeline::start);
    log.info(
        "worker {} started: {}",
        settings.workerId(),
        pipelines.stream().map(TypePipeline::taskType).toList());
  }

  private List<Loop> loops() {
    return List.of(
        reporting, storing, beating, watching, feeding, scheduling, adopting, quarantine);
  }

  /** Adopts undelivered reports of other workers on this machine that have ended. */
  private Duration tidySpool() {
    sender.adopt();
    sender.deliverLeftObjects();
    return Jitter.random().shorten(ADOPTION_INTERVAL, JITTER);
  }

  private void pollerMoved(Transition<PollerState, PollerState.Event> transition) {
    if (transition.to() == PollerState.STOPPED) {
      progress.signal();
    }
  }

  /** Lets the pollers ask for tasks, or not; what is held goes on. */
  public void setPaused(boolean value) {
    if (isPaused == value) {
      return;
    }
    isPaused = value;
    log.info(
        value ? "worker {} is paused: it asks for no tasks" : "worker {} is resumed",
        settings.workerId());
    pipelines.forEach(pipeline -> pipeline.poller().wake());
    heart.beatSoon();
  }

  public boolean isPaused() {
    return isPaused;
  }

  /**
   * The server drains this worker: it finishes its runs and stops.
   *
   * @param graceMs after which it interrupts its runs and releases them; {@code null} for as long
   *     as they take
   */
  private void drain(Long graceMs) {
    if (graceMs != null) {
      endBy(Duration.ofMillis(graceMs));
    }
    if (state == WorkerState.RUNNING) {
      drain.begin();
    }
  }

  /** Sets the end of the grace, unless it is earlier already. */
  private synchronized void endBy(Duration grace) {
    graceEnd = Math.min(graceEnd, ticker.nanos() + grace.toNanos());
    progress.signal();
  }

  private void stopDrained() {
    log.info("flowsvr drains this worker: it finishes what it runs and stops");
    stop(AS_LONG_AS_IT_TAKES);
    whenDrained.run();
  }

  /**
   * Stops the worker: holds no more tasks, releases queued runs at once, and lets running ones
   * finish for {@code grace} before it interrupts and releases them. Leases are renewed until all
   * runs are settled. A stop that is already under way takes the shorter grace of the two. A call
   * by a thread that the stop needs does not wait, as that of a listener of the ends of runs.
   *
   * @return {@code false} if a task waits for the end of its lease, or the stop has only begun
   */
  public boolean stop(Duration grace) {
    boolean first;
    synchronized (this) {
      graceEnd = Math.min(graceEnd, ticker.nanos() + grace.toNanos());
      first = state == WorkerState.NEW || state == WorkerState.RUNNING;
      if (first) {
        boolean started = state == WorkerState.RUNNING;
        state = WorkerState.STOPPING;
        stopping = new Thread(started ? this::windDown : this::finish, "asyncflow-stop");
        // A thread created by a handler's thread would inherit its daemon status and not keep the
        // JVM alive.
        stopping.setDaemon(false);
        stopping.start();
      }
    }
    progress.signal();
    if (Thread.currentThread() == stopping || loops().stream().anyMatch(Loop::isCurrent)) {
      return false;
    }
    try {
      stopping.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return held.isEmpty();
  }

  private void windDown() {
    if (drain.begun()) {
      log.info("worker {} stops when its runs have ended", settings.workerId());
    } else {
      long grace = ticker.until(graceEnd).toMillis();
      log.info("worker {} stops; runs have {} ms to end", settings.workerId(), grace);
    }
    localRetries.end();
    for (TypePipeline pipeline : pipelines) {
      pipeline.stop().forEach(run -> ends.release(run, "the worker stops"));
    }
    // These would not end within any grace: their threads wait for the JVM's shutdown hooks.
    pipelines.stream()
        .flatMap(pipeline -> pipeline.pool().running().stream())
        .filter(Run::exitsTheJvm)
        .forEach(ends::exited);
    if (!awaitSettled(() -> graceEnd)) {
      pipelines.forEach(pipeline -> pipeline.pool().running().forEach(this::interrupt));
      deadlineWakeUp.signal();
      long end = ticker.nanos() + LAST_REPORTS.toNanos();
      awaitSettled(() -> end);
    }
    finish();
  }

  private void interrupt(Run run) {
    // A thread may have taken the run a moment ago without starting it.
    if (!ends.release(run, "the worker stops")) {
      run.stop(StopCause.SHUT_DOWN, ticker.nanos());
    }
  }

  private void finish() {
    loops().forEach(Loop::stop);
    Set<Run> kept = sender.keepAll();
    long unsettled = held.all().stream().filter(run -> !kept.contains(run)).count();
    int spooled = spool.size();
    spool.close();
    lock.close();
    state = WorkerState.STOPPED;
    if (unsettled == 0) {
      heart.farewell();
    }
    if (unsettled == 0 && spooled == 0) {
      log.info("worker {} stopped; nothing is left behind", settings.workerId());
    } else {
      log.warn(
          "worker {} stopped; {} reports are left to its next start in {}, {} tasks to their"
              + " leases",
          settings.workerId(),
          spooled,
          spool,
          unsettled);
    }
  }

  /**
   * Waits until the pollers, which may still release tasks, have ended and nothing is held; {@code
   * false} if that takes too long.
   */
  private boolean awaitSettled(LongSupplier end) {
    while (!settled()) {
      Duration remaining = ticker.until(end.getAsLong());
      if (remaining.isZero()) {
        return false;
      }
      try {
        progress.await(remaining);
      } catch (InterruptedException e) {
        log.debug("a stop ignores interrupts");
      }
    }
    return true;
  }

  private boolean settled() {
    return held.isEmpty()
        && pipelines.stream()
            .allMatch(pipeline -> pipeline.poller().state() == PollerState.STOPPED);
  }
}
