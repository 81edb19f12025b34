package io.asyncflow.worker.internal;

import io.asyncflow.api.Task;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageResult;
import org.slf4j.MDC;

/** One run on one thread, from top to bottom: start, handle, leave, say how it ended. */
final class StageRunner implements RunPool.Runner {

  private final RunEnds ends;
  private final SlotPool slots;
  private final Ticker ticker;

  StageRunner(RunEnds ends, SlotPool slots, Ticker ticker) {
    this.ends = ends;
    this.slots = slots;
    this.ticker = ticker;
  }

  @Override
  public void run(Run run, Slot slot) {
    // The deadline watch sees to both; but a process that was frozen may come back here first.
    long now = ticker.nanos();
    if (now >= run.lease().trustedUntil()) {
      ends.lost(run, "its lease had run out when a thread was free");
      return;
    }
    if (now >= run.lease().startBy()) {
      ends.release(run, "less than half of its time was left when a thread was free");
      return;
    }
    if (!run.enter()) {
      return;
    }
    name(run.task());
    try {
      StageResult result = handle(run, slot);
      if (slot != null) {
        slots.sufficed(slot);
      }
      ends.returned(run, result);
    } catch (Throwable thrown) {
      if (slot != null && thrown instanceof ResourceException) {
        slots.lacked(slot);
      }
      // Errors too: whatever a handler throws ends its own run and nothing else.
      ends.threw(run, thrown);
    } finally {
      MDC.clear();
    }
  }

  private StageResult handle(Run run, Slot slot) throws Exception {
    try {
      return run.stage().handler().handle(new RunContext(run, slot, ticker));
    } finally {
      run.leave();
    }
  }

  private static void name(Task task) {
    MDC.put("traceId", task.traceId());
    MDC.put("taskId", task.taskId());
  }
}
