package io.asyncflow.worker.internal.execute;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Task;
import io.asyncflow.api.TraceParent;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.HandlerThread;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.stage.Batches;
import io.asyncflow.worker.tracing.RunSpan;
import io.asyncflow.worker.tracing.RunTracing;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.MDC;

/**
 * Executes one run or one batch on the calling thread: starts it, calls the handler, reports the
 * end.
 */
public final class StageRunner implements RunPool.Runner {

  private final RunEnds ends;
  private final SlotPool slots;
  private final LocalRetries retries;
  private final Ticker ticker;
  private final FlowClient client;
  private final StoreClient store;
  private final Sealing sealing;
  private final RunTracing tracing;

  /**
   * @param client for calls of a run to the server
   * @param store for objects of runs
   * @param sealing opens contexts, and seals and opens objects
   * @param tracing opens the spans of runs
   */
  public StageRunner(
      RunEnds ends,
      SlotPool slots,
      LocalRetries retries,
      Ticker ticker,
      FlowClient client,
      StoreClient store,
      Sealing sealing,
      RunTracing tracing) {
    this.ends = ends;
    this.slots = slots;
    this.retries = retries;
    this.ticker = ticker;
    this.client = client;
    this.store = store;
    this.sealing = sealing;
    this.tracing = tracing;
  }

  @Override
  public void run(List<Run> runs, Slot slot) {
    HandlerThread thread = HandlerThread.current();
    List<Run> started = runs.stream().filter(run -> start(run, thread)).toList();
    if (started.isEmpty()) {
      return;
    }
    try {
      name(started);
      if (started.get(0).stage().batches() == null) {
        runAlone(started.get(0), slot);
      } else {
        runTogether(started, slot);
      }
    } finally {
      // Whatever failed: from here on this thread may be interrupted for other runs alone.
      started.forEach(Run::leave);
      MDC.clear();
    }
  }

  private boolean start(Run run, HandlerThread thread) {
    // The deadline watch does both, but after a freeze of the process this code may run first.
    long now = ticker.nanos();
    if (now >= run.lease().trustedUntil()) {
      ends.lost(run, "its lease had run out when a thread was free");
      return false;
    }
    if (now >= run.lease().startBy()) {
      ends.release(run, "less than half of its time was left when a thread was free");
      return false;
    }
    run.startsAt(now);
    return run.enter(thread);
  }

  /** In a batch, all but the ids of the tasks is of the first. */
  private static void name(List<Run> runs) {
    Task first = runs.get(0).task();
    MDC.put("taskId", runs.stream().map(run -> run.task().taskId()).collect(joining(",")));
    MDC.put("taskStage", first.taskStage());
    MDC.put("taskAttempt", String.valueOf(first.attempt()));
    MDC.put("holdTraceId", first.traceId());
    // A tracer puts the id of the run's span in its place, and takes it away with the span.
    MDC.put(
        "traceId",
        TraceParent.parse(first.traceParent()).map(TraceParent::traceId).orElse(first.traceId()));
  }

  private void runAlone(Run run, Slot slot) {
    RunSpan.Scope current = RunSpan.NONE.enter();
    try {
      trace(run, slot);
      current = run.span().enter();
      StageResult result = handle(run, slot);
      recordSuccess(slot);
      ends.returned(run, result);
      run.span().end(result, null);
    } catch (Throwable thrown) {
      if (thrown instanceof ResourceException) {
        recordResourceFailure(slot);
      }
      // Errors too: an exception of a handler ends only its own run.
      ends.threw(run, thrown);
      run.span().end(null, thrown);
    } finally {
      current.close(); // not before the end was logged
    }
  }

  private void trace(Run run, Slot slot) {
    if (tracing != RunTracing.OFF) {
      run.traceAs(tracing.open(contextOf(run, slot)));
    }
  }

  private StageResult handle(Run run, Slot slot) throws Exception {
    try {
      while (true) {
        try {
          return run.stage().handler().handle(contextOf(run, slot));
        } catch (Throwable thrown) {
          if (!retries.await(run, thrown)) {
            throw thrown;
          }
        }
      }
    } finally {
      run.leave();
    }
  }

  private RunContext contextOf(Run run, Slot slot) {
    return new RunContext(run, slot, ticker, client, store, sealing);
  }

  private void runTogether(List<Run> runs, Slot slot) {
    Batches batches = runs.get(0).stage().batches();
    boolean alone = runs.size() == 1;
    List<BatchMember> members = new ArrayList<>();
    for (Run run : runs) {
      members.add(new BatchMember(run, contextOf(run, slot), ends, ticker, alone));
    }
    Throwable end = new NonRetryableException("the handler gave no result for this task");
    RunSpan.Scope current = RunSpan.NONE.enter();
    try {
      runs.forEach(run -> trace(run, slot));
      if (alone) { // what is done for several tasks at once belongs to the trace of none of them
        current = runs.get(0).span().enter();
      }
      batches.handler().handle(List.copyOf(members));
    } catch (Throwable thrown) {
      end = thrown;
    }
    for (BatchMember member : members) {
      member.end(end);
    }
    current.close();
    // An interrupt for this batch must not affect the next.
    Thread.interrupted();
    if (members.stream().noneMatch(BatchMember::hadResourceFailure)) {
      batches.recordSuccess(runs.size());
      recordSuccess(slot);
    } else if (alone) {
      recordResourceFailure(slot);
    } else {
      // The batch was too large; the slot is not at fault.
      batches.recordResourceFailure(runs.size());
    }
  }

  private void recordSuccess(Slot slot) {
    if (slot != null) {
      slots.recordSuccess(slot);
    }
  }

  private void recordResourceFailure(Slot slot) {
    if (slot != null) {
      slots.recordResourceFailure(slot);
    }
  }
}
