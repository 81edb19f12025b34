package io.asyncflow.worker.internal;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.internal.execute.DeadlineWatch;
import io.asyncflow.worker.internal.execute.LocalRetries;
import io.asyncflow.worker.internal.execute.SlotPool;
import io.asyncflow.worker.internal.execute.StageRunner;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.ManualTicker;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.report.ReportSender;
import io.asyncflow.worker.internal.report.ReportWriter;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Lease;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.TypeLimits;
import io.asyncflow.worker.internal.run.WorkerStart;
import io.asyncflow.worker.internal.spool.NoSpool;
import io.asyncflow.worker.internal.spool.Spool;
import io.asyncflow.worker.internal.spool.SpoolingStore;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import io.asyncflow.worker.tracing.RunTracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The life of runs with no thread and no waiting: the test moves the time and lets each loop do a
 * turn. Leases last 10 s, attempts 30 s.
 */
public final class HandDriven {

  static final Duration LEASE = Duration.ofSeconds(10);
  static final Duration MAX_PROCESSING_TIME = Duration.ofSeconds(30);
  static final Duration PATIENCE = Duration.ofSeconds(15);
  public static final String WORKER = "hand-driven";

  public final ManualTicker ticker = new ManualTicker();
  public final FakeFlowServer server =
      new FakeFlowServer(ticker::nanos)
          .withType("lark", Duration.ofSeconds(10), MAX_PROCESSING_TIME, LEASE);
  public final List<Transition<RunState, RunState.Event>> transitions = new ArrayList<>();
  public final HeldRuns held = new HeldRuns();
  public final ReportWriter writer = new ReportWriter(WORKER, Sealing.OFF);
  public final WakeUp wakeUp = new WakeUp();
  public final Link link = new Link();
  final List<String> drains = new ArrayList<>();
  public final List<Run> stalled = new ArrayList<>();
  boolean polls;
  WorkerInfo info =
      new WorkerInfo(
          "here", "1.0", null, List.of(), Map.of(), Map.of(), Map.of(), Map.of(), null, null, null,
          null);
  public final ReportSender sender;
  public final RunEnds ends;
  final HeartbeatSender heart;
  public final DeadlineWatch watch;
  final SlotPool slots;
  public final LocalRetries localRetries;
  public final StageRunner runner;

  public HandDriven() {
    this(new NoSpool());
  }

  public HandDriven(Spool spool) {
    sender =
        new ReportSender(
            server, held, writer, spool, ticker, wakeUp, wakeUp, new Backoff(Jitter.NONE), link);
    ends = new RunEnds(writer, sender, held, ticker);
    heart =
        new HeartbeatSender(
            new WorkerStart(WORKER, null, null),
            server,
            held,
            ends,
            () -> info,
            () -> polls,
            grace -> drains.add("drain"),
            PATIENCE,
            ticker,
            wakeUp,
            new Backoff(Jitter.NONE),
            Jitter.NONE,
            link);
    watch = new DeadlineWatch(held, ends, () -> stalled, ticker, wakeUp);
    slots = new SlotPool(Map.of("cpu", 1), ticker, new WakeUp());
    localRetries = new LocalRetries(ticker);
    runner =
        new StageRunner(
            ends,
            slots,
            localRetries,
            ticker,
            server,
            new SpoolingStore(server.store(), spool.objects()),
            Sealing.OFF,
            RunTracing.OFF);
  }

  /** Creates a task and holds it. */
  public Run heldRun(String context, StageHandler handler) {
    return heldRun(context, new RegisteredStage("one", handler, StageNeeds.nothing()));
  }

  public Run heldRun(String context, RegisteredStage stage) {
    server.createTask(NewTask.of("lark", "one", "me", context));
    long start = ticker.nanos();
    Task task =
        server.holdTasks(new HoldRequest("lark", 1, WORKER, 0, null, List.of("one"))).get(0);
    TypeLimits limits = TypeLimits.of(server.taskTypes().get(0));
    Run run = new Run(task, stage, Lease.held(start, task.leaseMs(), limits), transitions::add);
    held.add(run);
    return run;
  }

  public Run heldRun(StageHandler handler) {
    return heldRun("", handler);
  }

  /** The reports of another worker: nothing in its memory, and another name. */
  public ReportSender sender(FlowClient client, Spool anotherSpool) {
    return new ReportSender(
        client,
        new HeldRuns(),
        new ReportWriter("another", Sealing.OFF),
        anotherSpool,
        ticker,
        wakeUp,
        wakeUp,
        new Backoff(Jitter.NONE),
        new Link());
  }

  /** Runs the handler in this thread. */
  public void work(Run run) {
    work(run, null);
  }

  public void work(Run run, Slot slot) {
    runner.run(List.of(run), slot);
  }

  /** The first heartbeat, which comes with the start. */
  public void firstBeat() {
    ticker.advance(Duration.ofSeconds(1));
    heart.runOnce();
  }

  /** A turn of the heartbeats, when it is due. */
  public void beat() {
    ticker.advance(LEASE.dividedBy(5));
    heart.runOnce();
  }

  /** A turn of the heartbeats, whatever time it is. */
  public void turnOfHeartbeats() {
    heart.runOnce();
  }

  /** Time passes; the lease keeper does its work. */
  public void keepLeaseUntil(long moment) {
    while (ticker.nanos() + LEASE.toNanos() / 2 < moment) {
      beat();
    }
    ticker.advanceTo(moment);
  }

  /** Lets the time pass up to this moment and the deadline watch look. */
  public void watchAt(long moment) {
    ticker.advanceTo(moment);
    watch.runOnce();
  }

  public void sendReports() {
    sendReports(sender);
  }

  /** Stores what is due, as its loop does, and then sends. */
  public static void sendReports(ReportSender sender) {
    Duration wait = sender.storeOnce();
    while (wait.isZero()) {
      wait = sender.storeOnce();
    }
    sender.runOnce();
  }
}
