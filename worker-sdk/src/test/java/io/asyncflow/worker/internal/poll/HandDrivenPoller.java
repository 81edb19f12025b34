package io.asyncflow.worker.internal.poll;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.HoldLock;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.execute.LocalRetries;
import io.asyncflow.worker.internal.execute.RunPool;
import io.asyncflow.worker.internal.execute.SlotPool;
import io.asyncflow.worker.internal.execute.StageRunner;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.ManualTicker;
import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.poll.PollerState.Event;
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
import io.asyncflow.worker.internal.spool.SpoolingStore;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import io.asyncflow.worker.tracing.RunTracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * The poller of one type with everything it needs, and no loop: the test lets it take its turns.
 * Its pool is real, and its handlers block until they are let go.
 */
final class HandDrivenPoller implements AutoCloseable {

  static final TypeLimits LIMITS =
      new TypeLimits(100, Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(30));

  final ManualTicker ticker = new ManualTicker();
  final StubFlowClient client = new StubFlowClient(ticker);
  final List<Transition<PollerState, Event>> transitions = new ArrayList<>();
  final List<String> lockCalls = new ArrayList<>();
  final HeldRuns held = new HeldRuns();
  final WakeUp wakeUp = new WakeUp();
  final Link link = new Link();
  final ReportWriter writer = new ReportWriter("w", Sealing.OFF);
  final ReportSender sender =
      new ReportSender(
          client,
          held,
          writer,
          new NoSpool(),
          ticker,
          new WakeUp(),
          new WakeUp(),
          new Backoff(Jitter.NONE),
          link);
  final RunEnds ends = new RunEnds(writer, sender, held, ticker);
  final SlotPool slots;
  final RunPool pool;
  final TypePoller poller;
  final CountDownLatch letGo = new CountDownLatch(1);
  TypeLimits limits = LIMITS;
  double chance;

  /** A poller whose worker has two threads, no prefetch, and the stages "open" and "other". */
  static HandDrivenPoller ofOpenStages() {
    return new Builder().build();
  }

  static Builder with() {
    return new Builder();
  }

  static final class Builder {
    private final Map<String, RegisteredStage> stages = new LinkedHashMap<>();
    private int threads = 2;
    private int prefetch;
    private int backlogThreshold = 1000;
    private int slots = 1;
    private boolean lock;
    private boolean lockIsFree;

    Builder threads(int value) {
      threads = value;
      return this;
    }

    /** Short runs have ended already, so that it fetches ahead. */
    Builder prefetch(int value) {
      prefetch = value;
      return this;
    }

    Builder backlogThreshold(int value) {
      backlogThreshold = value;
      return this;
    }

    Builder slots(int value) {
      slots = value;
      return this;
    }

    Builder stage(String name, boolean wantsSlot) {
      return stage(name, wantsSlot ? 1 : 0);
    }

    Builder stage(String name, int places) {
      return stage(name, StageNeeds.slots(places));
    }

    /** A stage that takes a slot and has a model, called as the stage is. */
    Builder model(String name) {
      return stage(name, StageNeeds.slots(1).loading(name));
    }

    private Builder stage(String name, StageNeeds needs) {
      stages.put(name, new RegisteredStage(name, context -> null, needs));
      return this;
    }

    Builder lock(boolean isFree) {
      lock = true;
      lockIsFree = isFree;
      return this;
    }

    HandDrivenPoller build() {
      if (stages.isEmpty()) {
        stage("open", false).stage("other", false);
      }
      return new HandDrivenPoller(this);
    }
  }

  private HandDrivenPoller(Builder builder) {
    StageHandler blocking =
        context -> {
          letGo.await();
          return StageResult.done();
        };
    Map<String, RegisteredStage> stages = new LinkedHashMap<>();
    builder.stages.forEach(
        (name, stage) -> stages.put(name, new RegisteredStage(name, blocking, stage.needs())));
    slots = new SlotPool(Map.of("cpu", builder.slots), ticker, new WakeUp());
    pool =
        new RunPool(
            "lark",
            builder.threads,
            builder.prefetch,
            slots,
            new StageRunner(
                ends,
                slots,
                new LocalRetries(ticker),
                ticker,
                client,
                new SpoolingStore(client.store(), new NoSpool().objects()),
                Sealing.OFF,
                RunTracing.OFF),
            Sealing.OFF,
            Thread::new,
            ticker,
            () -> held.isReporting("lark"),
            wakeUp::signal);
    held.whenSettled(run -> pool.wakeOne());
    poller =
        new TypePoller(
            "lark",
            new TypeDemand("lark", stages.values(), pool, slots, held, builder.backlogThreshold),
            new HoldCall(
                "lark", new WorkerStart("w", null, null), client, sender, grace -> {}, ticker),
            new Admission(stages, pool, held, ends, TransitionTable.Listener.none()),
            builder.lock ? new RecordingLock(builder.lockIsFree) : new NoHoldLock(),
            () -> limits,
            wakeUp,
            new Backoff(Jitter.NONE),
            new Jitter(() -> chance),
            link,
            transitions::add);
    slots.whenFreed(poller::slotFreed);
    if (builder.prefetch > 0) {
      letAShortRunEnd();
    }
  }

  private void letAShortRunEnd() {
    Run run =
        new Run(
            StubFlowClient.task("0_lark_task_1", "short", 30_000),
            new RegisteredStage(
                "short", (StageHandler) context -> StageResult.done(), StageNeeds.nothing()),
            Lease.held(ticker.nanos(), 30_000L, LIMITS),
            TransitionTable.Listener.none());
    held.add(run);
    pool.offer(List.of(run));
    await().until(() -> run.state() == RunState.REPORTING && pool.working() == 0);
    sender.runOnce();
    client.reports.clear();
  }

  Duration turn() {
    return poller.runOnce();
  }

  Slot takeSlot() {
    return slots.tryTake(1, "").orElseThrow();
  }

  @Override
  public void close() {
    letGo.countDown();
    pool.close();
  }

  private final class RecordingLock implements HoldLock {
    private final boolean free;

    private RecordingLock(boolean free) {
      this.free = free;
    }

    @Override
    public boolean present() {
      return true;
    }

    @Override
    public boolean tryAcquire(String taskType) {
      lockCalls.add("acquire " + taskType + " after " + client.holds.size());
      return free;
    }

    @Override
    public void release(String taskType) {
      lockCalls.add("release " + taskType + " after " + client.holds.size());
    }

    @Override
    public void close() {
      lockCalls.add("close");
    }
  }
}
