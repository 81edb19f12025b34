package io.asyncflow.worker.internal;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.internal.TransitionTable.Transition;
import io.asyncflow.worker.testing.FakeFlowServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The life of runs with no thread and no waiting: the test moves the time and lets each loop do a
 * turn. Leases last 10 s, attempts 30 s.
 */
final class HandDriven {

  static final Duration LEASE = Duration.ofSeconds(10);
  static final Duration MAX_PROCESSING_TIME = Duration.ofSeconds(30);
  static final String WORKER = "hand-driven";

  final ManualTicker ticker = new ManualTicker();
  final FakeFlowServer server =
      new FakeFlowServer(ticker::nanos)
          .withType("lark", Duration.ofSeconds(10), MAX_PROCESSING_TIME, LEASE);
  final List<Transition<RunState, RunState.Event>> transitions = new ArrayList<>();
  final HeldRuns held = new HeldRuns();
  final ReportWriter writer = new ReportWriter(WORKER);
  final WakeUp wakeUp = new WakeUp();
  final Link link = new Link();
  final List<String> drains = new ArrayList<>();
  final List<Run> stalled = new ArrayList<>();
  boolean polls;
  WorkerInfo info =
      new WorkerInfo("here", "1.0", List.of(), Map.of(), Map.of(), Map.of(), Map.of());
  final ReportSender sender;
  final RunEnds ends;
  final HeartbeatSender heart;
  final DeadlineWatch watch;
  final SlotPool slots;
  final StageRunner runner;

  HandDriven() {
    this(new NoSpool());
  }

  HandDriven(Spool spool) {
    sender =
        new ReportSender(
            server, held, writer, spool, ticker, wakeUp, wakeUp, new Backoff(Jitter.NONE), link);
    ends = new RunEnds(writer, sender, held, ticker);
    heart =
        new HeartbeatSender(
            WORKER,
            server,
            held,
            ends,
            () -> info,
            () -> polls,
            () -> drains.add("drain"),
            ticker,
            wakeUp,
            new Backoff(Jitter.NONE),
            Jitter.NONE,
            link);
    watch = new DeadlineWatch(held, ends, () -> stalled, ticker, wakeUp);
    slots = new SlotPool(Map.of("cpu", 1), ticker, new WakeUp());
    runner =
        new StageRunner(
            ends, slots, ticker, server, new SpoolingStore(server.store(), spool.objects()));
  }

  /** Creates a task and holds it. */
  Run heldRun(String context, StageHandler handler) {
    return heldRun(context, new RegisteredStage("one", handler, StageNeeds.nothing()));
  }

  Run heldRun(String context, RegisteredStage stage) {
    server.createTask(NewTask.of("lark", "one", "me", context));
    long start = ticker.nanos();
    Task task =
        server.holdTasks(new HoldRequest("lark", 1, WORKER, 0, null, List.of("one"))).get(0);
    TypeLimits limits = TypeLimits.of(server.taskTypes().get(0));
    Run run = new Run(task, stage, Lease.held(start, task.leaseMs(), limits), transitions::add);
    held.add(run);
    return run;
  }

  Run heldRun(StageHandler handler) {
    return heldRun("", handler);
  }

  /** The reports of another worker: nothing in its memory, and another name. */
  ReportSender sender(FlowClient client, Spool anotherSpool) {
    return new ReportSender(
        client,
        new HeldRuns(),
        new ReportWriter("another"),
        anotherSpool,
        ticker,
        wakeUp,
        wakeUp,
        new Backoff(Jitter.NONE),
        new Link());
  }

  /** Runs the handler in this thread. */
  void work(Run run) {
    work(run, null);
  }

  void work(Run run, Slot slot) {
    runner.run(List.of(run), slot);
  }

  /** The first heartbeat, which comes with the start. */
  void firstBeat() {
    ticker.advance(Duration.ofSeconds(1));
    heart.runOnce();
  }

  /** A turn of the heartbeats, when it is due. */
  void beat() {
    ticker.advance(LEASE.dividedBy(5));
    heart.runOnce();
  }

  /** Time passes; the lease keeper does its work. */
  void keepLeaseUntil(long moment) {
    while (ticker.nanos() + LEASE.toNanos() / 2 < moment) {
      beat();
    }
    ticker.advanceTo(moment);
  }

  /** Lets the time pass up to this moment and the deadline watch look. */
  void watchAt(long moment) {
    ticker.advanceTo(moment);
    watch.runOnce();
  }

  void sendReports() {
    sendReports(sender);
  }

  /** Stores what is due, as its loop does, and then sends. */
  static void sendReports(ReportSender sender) {
    Duration wait = sender.storeOnce();
    while (wait.isZero()) {
      wait = sender.storeOnce();
    }
    sender.runOnce();
  }
}
